"""Files without rows, in today's columns: an empty table has a view, and old files have the newer columns."""

import atexit
import hashlib
import tempfile
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import IO, Any

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.duckdb_engine import open_engine
from stoic_assets.adapters.warehouse.file_names import ARCHIVE, SCHEMA, WITHOUT_ROWS
from stoic_assets.adapters.warehouse.parquet_files import write_once, write_rows
from stoic_assets.adapters.warehouse.table_schemas import columns_of, duckdb_columns

_WITHOUT_ROWS: dict[tuple[tuple[str, str], ...], bytes] = {}
"""Files without rows by column, as they were written first: the same in every warehouse of a process."""


def make_empty_file(folder: Path) -> Path:
    """Writes the file without rows of the table in `folder` if it is missing, and returns its path.

    There is another one among the archives, for reading them by a pattern. Raises `StorageError`.
    """
    path, archived = (folder / within / _name(folder.name) for within in (WITHOUT_ROWS, ARCHIVE))
    if not path.exists() or not archived.exists():
        own = duckdb_columns(folder.name)
        _write_empty(archived, {"agent_version": "VARCHAR"} | own)
        _write_empty(path, own)
    return path


def empty_file(folder: Path) -> Path:
    """The file without rows of the table in `folder`, for a reader.

    Where no warehouse was made yet, or it cannot be written, it is in a temporary folder, and lets the data that exists
    be read. Raises `StorageError`.
    """
    if not folder.parent.exists():
        return _empty_file_elsewhere(folder.name)
    try:
        return make_empty_file(folder)
    except StorageError as refusal:
        try:
            return _empty_file_elsewhere(folder.name)
        except StorageError:
            raise refusal from None


def empty_files(folder: Path) -> set[str]:
    """Every file without rows of a table: that of `empty_file`, and what a pattern finds, also in former columns.

    Raises `StorageError`.
    """
    found = (file for within in (WITHOUT_ROWS, ARCHIVE) for file in (folder / within).glob(f"{SCHEMA}*.parquet"))
    return set(map(str, (empty_file(folder), *found)))


def archive_schema(folder: Path) -> Any:
    """The Arrow schema of an archive of the table in `folder`: that of the file without rows, which DuckDB wrote.

    Raises `StorageError`.
    """
    import pyarrow.parquet as pq

    make_empty_file(folder)
    return pq.read_schema(folder / ARCHIVE / _name(folder.name)).remove_metadata()


def _empty_file_elsewhere(table: str) -> Path:
    path = _elsewhere() / table / WITHOUT_ROWS / _name(table)
    _write_empty(path, duckdb_columns(table))
    return path


def _name(table: str) -> str:
    return f"{SCHEMA}{hashlib.sha256(repr(columns_of(table)).encode()).hexdigest()[:8]}.parquet"


def _write_empty(path: Path, columns: Mapping[str, str]) -> None:
    write_once(path, partial(_fill_without_rows, tuple(columns.items())))


def _fill_without_rows(columns: tuple[tuple[str, str], ...], file: IO[bytes]) -> None:
    if columns in _WITHOUT_ROWS:
        file.write(_WITHOUT_ROWS[columns])
        return
    with open_engine() as engine:
        write_rows(engine, dict(columns), [], file)
    _WITHOUT_ROWS[columns] = Path(file.name).read_bytes()


@cache
def _elsewhere() -> Path:
    """A folder of this process only, which is removed when it ends."""
    folder = tempfile.TemporaryDirectory(prefix="stoic-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
