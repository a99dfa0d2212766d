"""`stoic export`: all tables in other formats."""

from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.disk.files import check_writable
from stoic_assets.adapters.project import refuse_in_warehouse
from stoic_assets.adapters.warehouse.exports import check_new_folders, export_csv, export_duckdb, export_parquet
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluations import nothing_in
from stoic_assets.cli.options import Json
from stoic_assets.core.errors import ConfigurationError


def export(
    duckdb: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a DuckDB file with all tables; an existing file is replaced."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write a new folder with a CSV file for each table.")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write a new folder with a Parquet file for each table.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Writes all tables to other formats: one DuckDB file, CSV files, Parquet files, or several of these."""
    workplace = open_workplace(to_read=True)
    workplace.warehouse.renew()
    writers = {"path": export_duckdb, "csv": export_csv, "parquet": export_parquet}
    targets = {name: path for name, path in (("path", duckdb), ("csv", csv), ("parquet", parquet)) if path}
    if not targets:
        raise ConfigurationError("no target to export to; give --duckdb FILE, --csv FOLDER or --parquet FOLDER")
    refuse_in_warehouse(workplace.project, *targets.values())
    check_writable(*targets.values())  # all of them, before the first is written
    check_new_folders(*filter(None, (csv, parquet)), file=duckdb)
    for name, path in targets.items():
        writers[name](workplace.warehouse, path)
    if not workplace.warehouse.agent_versions():
        console.err.print(f"{nothing_in(workplace)}: all tables are empty")
    if as_json:
        console.print_json({name: str(path.absolute()) for name, path in targets.items()})
    else:
        console.out.print(f"wrote {', '.join(map(str, targets.values()))}")
