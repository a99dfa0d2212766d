"""Commands for stored data: export, delete, and the schema of job files."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.disk.files import check_writable, remove_folder, write_whole
from stoic_assets.adapters.evaluation.stoic_graph_projection import delete_from_graph
from stoic_assets.adapters.project import refuse_in_warehouse
from stoic_assets.adapters.ratings.rating_keys import forget_version
from stoic_assets.adapters.warehouse.exports import check_new_folders, export_csv, export_duckdb, export_parquet
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.dagster_instance import open_instance, refuse_misread_folders
from stoic_assets.cli.evaluations import nothing_in
from stoic_assets.cli.options import Json
from stoic_assets.cli.partition_run import faults_translated, forget_partition
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import job_json_schema
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.presentation.names import instead_of
from stoic_assets.core.releases import ALL_VERSIONS, check_agent_version, is_agent_version
from stoic_assets.core.stages import PARTITIONS


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


def delete(
    agent_version: Annotated[str, typer.Argument(metavar="A@V", help="agent@version")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking for confirmation.")] = False,
    as_json: Json = False,
) -> None:
    """Removes all data of a version: tables, journals, cached replies, messages, reports, graph nodes, partition."""
    workplace, version = open_workplace(progress=console.Notes()), agent_version
    refuse_misread_folders(workplace)
    count = _evaluations(workplace, version) if is_agent_version(version) else 0
    if not count:
        _refuse_unknown(workplace, version)
    evaluations = plural(count, "evaluation")
    if not (yes or _agreed(f"Delete {version} and its {evaluations} permanently?")):
        console.err.print("nothing was deleted")
        raise typer.Exit(1)
    if is_agent_version(version):
        again = f"run `stoic delete {version}` again to delete the rest"
        # A running evaluation must not lose its data.
        with faults_translated(workplace, lambda: again), workplace.evidence.all_locked(version):
            _delete_all(workplace, version)
    else:
        forget_partition(workplace, version)
    if as_json:
        console.print_json({"agent_version": version, "evaluations": count})
    else:
        console.out.print(f"deleted {version} with {evaluations}")


def _evaluations(workplace: Workplace, version: str) -> int:
    """How many evaluations of a version are stored, also those that have lost their manifest or their row."""
    return len({*workplace.evidence.evaluation_ids(version), *workplace.warehouse.evaluation_ids(version)})


def _refuse_unknown(workplace: Workplace, version: str) -> None:
    """Raises if nothing is stored for the version: neither evidence, nor a table, nor a report, nor a partition.

    The web UI adds any key as a partition; an invalid version can have nothing else.
    """
    with open_instance(workplace) as instance:
        partitions = instance.get_dynamic_partitions(PARTITIONS)
    if version not in partitions:
        check_agent_version(version)
    reported = {folder.name for folder in workplace.reports.glob("*@*")}
    kept = workplace.evidence.agent_versions() | workplace.warehouse.agent_versions() | reported
    stored = {*kept, *partitions} - {ALL_VERSIONS}
    if version not in stored:
        raise ConfigurationError(f"nothing is stored for {version}; {instead_of(version, stored)}")


def _agreed(question: str) -> bool:
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        console.err.print()  # the cursor is behind the question
        if sys.stdin.isatty():
            raise KeyboardInterrupt from None  # which `input` reports as the end of the input
        raise ConfigurationError("no answer; add --yes to delete without a question") from None


def _delete_all(workplace: Workplace, version: str) -> None:
    """The tables go first: after an interruption no command counts the version any more.

    The evidence goes last: until then, the command can be repeated and still finds all evaluations.
    """
    workplace.evidence.give_up(version)
    waits = partial(workplace.progress.note, "the tables are being compacted; this waits for that")
    workplace.warehouse.delete(version, waits)
    workplace.warehouse.publish()
    workplace.outbox.delete(version)
    forget_version(workplace, version)
    delete_from_graph(workplace, version)  # after the tables: it reads the remaining trends from them
    for folder in (workplace.judge_cache(version), workplace.reports / version):
        remove_folder(folder)
    for night in workplace.nights.forget(version):
        console.err.print(console.foreign(
            f"stoic: {night} is damaged and may still name {version}; correct or remove the file"
        ))
    forget_partition(workplace, version)
    workplace.evidence.delete(version)


def schema(
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Write it to this file. (default: standard output)"),
    ] = None
) -> None:
    """Writes the JSON Schema of job files, for editors."""
    text = json.dumps(job_json_schema(), indent=2, ensure_ascii=False) + "\n"
    if out is None:
        console.out.print(text, end="")
    else:
        write_whole(out, text)
        console.out.print(f"wrote {out}")
