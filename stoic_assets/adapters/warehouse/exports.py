"""Everything in the warehouse as plain tables: one DuckDB file, or a folder of CSV or Parquet files.

Each is written whole or not at all. A spreadsheet runs a cell that begins like a formula, and an agent's text can begin
so. In CSV files such a text gets an apostrophe in front. Numbers and JSON keep their signs: neither can be a formula.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stoic_assets.adapters.warehouse.duckdb_engine import open_engine, quoted, twice_if_changed
from stoic_assets.adapters.warehouse.duckdb_files import drafted, new_database
from stoic_assets.adapters.warehouse.table_schemas import COMMON, TABLES, columns_of
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.errors import ConfigurationError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def export_duckdb(warehouse: Warehouse, file: Path) -> None:
    """Writes every table and model into one DuckDB file; it replaces a file of that name.

    Raises `StorageError` when the disk refuses, `ConfigurationError` for a folder whose name DuckDB misreads; then
    nothing is written.
    """
    with new_database(file) as engine:
        _copy(warehouse, engine, {table: f'create table main."{table}" as from temp."{table}"' for table in TABLES})


def export_parquet(warehouse: Warehouse, folder: Path) -> None:
    """Writes every table and model into a folder, one Parquet file each.

    Raises `ConfigurationError` when the folder is not empty, `StorageError` when the disk refuses; either way nothing
    is written.
    """
    _export_files(warehouse, folder, dict.fromkeys(TABLES, "*"), "parquet", "compression zstd")


def export_csv(warehouse: Warehouse, folder: Path) -> None:
    """Writes every table and model into a folder, one CSV file each, safe for a spreadsheet.

    Raises as `export_parquet` does.
    """
    _export_files(warehouse, folder, {table: _spreadsheet_columns(table) for table in TABLES}, "csv", "header")


def check_new_folders(*folders: Path, file: Path | None = None) -> None:
    """Raises `ConfigurationError` unless each is new or empty, and none is, or holds, another one or the `file`."""
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ConfigurationError(f"{folders[0]} is named twice; name a new folder for each format")
    targets = [target.resolve() for target in (*folders, *filter(None, [file]))]
    for folder in folders:
        target = folder.resolve()
        if sum(target in (other, *other.parents) for other in targets) > 1:
            raise ConfigurationError(f"{folder} would hold another export; name a new folder for each format")
        if target.exists() and not (target.is_dir() and not any(target.iterdir())):
            raise ConfigurationError(f"{folder} is not an empty folder; name a new one")
        if target == Path.cwd():  # replacing it would remove the folder that the user's shell is in
            raise ConfigurationError(f"{folder} is the current folder; name a new one in it")


def _export_files(warehouse: Warehouse, folder: Path, columns: Mapping[str, str], kind: str, options: str) -> None:
    target = folder.resolve()
    with drafted(target) as draft, open_engine(threads=None) as engine:
        check_new_folders(folder)
        draft.mkdir()
        files = {table: quoted(draft / f"{table}.{kind}") for table in columns}
        _copy(warehouse, engine, {
            table: f'copy (select {selected} from "{table}") to {files[table]} (format {kind}, {options})'
            for table, selected in columns.items()
        })  # fmt: skip


def _copy(warehouse: Warehouse, engine: "DuckDBPyConnection", statements: Mapping[str, str]) -> None:
    """Executes a statement for each table, which copies what is stored of it. Raises `DamagedFile`."""
    with warehouse.damage_named(TABLES):
        warehouse.create_views(engine, frozenset(TABLES))
        for table, statement in statements.items():
            twice_if_changed(partial(_copy_one, warehouse, engine, table, statement))


def _copy_one(warehouse: Warehouse, engine: "DuckDBPyConnection", table: str, statement: str, again: bool) -> None:
    if again:
        warehouse.create_views(engine, {table})
    engine.execute(statement)


_DISARMED = r"""regexp_replace("{0}", '^([=+\-@\t\r\n＝＋－＠])', '''\1')"""
"""Spreadsheets strip some characters in front of a formula; the wide signs count in some locales."""
_JSON = 'to_json("{0}")'
_CELLS = {
    "text": _DISARMED,
    "time": """strftime("{0}", '%Y-%m-%dT%H:%M:%S.%fZ')""",
    "texts": _JSON,
    "aspects": _JSON,
    "weights": _JSON,
}


def _spreadsheet_columns(table: str) -> str:
    """The columns for a SELECT: lists and structs as JSON, times in ISO 8601, text disarmed."""
    kinds = {"agent_version": "text"} | COMMON | {name: kind.name for name, kind in columns_of(table).items()}
    cells = {name: _CELLS.get(kind, '"{0}"').format(name) for name, kind in kinds.items()}
    return ", ".join(f'{cell} as "{name}"' for name, cell in cells.items())
