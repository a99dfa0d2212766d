"""Damaged files of tables: how a file is checked, and what the message says."""

import os
from glob import escape
from pathlib import Path

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.duckdb_engine import open_engine, quoted
from stoic_assets.adapters.warehouse.file_names import has_no_rows, named
from stoic_assets.core.table_repair import way_to_remake

_MAGIC = b"PAR1"
"""Begins and ends a Parquet file. Before the last one is the footer, and its length in four bytes."""
DAMAGED = "is damaged"


class DamagedFile(StorageError):
    """A file of a table cannot be read; the message names the file, and the command that makes its rows again."""

    says_how_to_go_on = True

    def __init__(self, file: str, problem: str = DAMAGED) -> None:
        advice = _advice(file) if problem == DAMAGED else "check the disk, and who may read it"
        super().__init__(f"{_content(file)}: {file} {problem}; {advice}")


def _content(file: str) -> str:
    table, version, evaluation_id = named(file)
    if has_no_rows(file):
        return f"table {table} of all evaluations"
    whose = f"evaluation {evaluation_id} ({version})" if version else "many evaluations"
    return f"table {table} of {whose}"


def _advice(file: str) -> str:
    table, version, evaluation_id = named(file)
    if has_no_rows(file):
        return "move it away: it has no rows, and is made again"
    way = way_to_remake(table, version or "A@V", evaluation_id or "ID")
    for_each = "" if version else " for each evaluation that lost its rows (`stoic list` names all)"
    return f"restore it from a backup, or move it away and {way or 'do without its rows'}{for_each if way else ''}"


def problem_of(file: str) -> str | None:
    """What is wrong with a file, by its first and last bytes; None if they are in order, or the file is gone."""
    try:
        with Path(file).open("rb") as opened:
            start, size = opened.read(len(_MAGIC)), opened.seek(0, os.SEEK_END)
            opened.seek(max(0, size - 8))
            length, end = opened.read(4), opened.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    is_whole = start == end == _MAGIC and int.from_bytes(length, "little") + 12 <= size
    return None if is_whole else DAMAGED


def problem_inside(file: str) -> str | None:
    """As `problem_of`, by reading the whole file."""
    import duckdb

    if found := problem_of(file):
        return found
    try:
        with open_engine() as engine:
            rows = f"read_parquet({quoted(escape(file))}, hive_partitioning=false)"
            engine.execute(f"select bit_xor(hash(rows)) from {rows} as rows")
    except duckdb.Error as error:
        return DAMAGED if may_be_damage(error) and Path(file).exists() else None
    return None


def may_be_damage(error: Exception) -> bool:
    """Whether DuckDB may have met a damaged file. Of some faults DuckDB says only that there is an error."""
    import duckdb

    return type(error) is duckdb.Error or isinstance(error, duckdb.InvalidInputException | duckdb.IOException)
