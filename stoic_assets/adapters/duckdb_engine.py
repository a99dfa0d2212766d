"""DuckDB in this process: how it is started, and how rows come out of it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.sql_literals import literal
from stoic_assets.core.table_rows import Row

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def open_engine(path: Path | None = None, threads: int | None = 1) -> "DuckDBPyConnection":
    """A connection to DuckDB in memory, or on a file of its own; speaks UTC and fetches no extension from anywhere.

    What it makes in memory must be temporary: temporary things are its own, all else is seen by the whole process.
    One thread gives the same sums each time, to the last bit, with the least memory and CPU; None uses all processors,
    which pays where a whole history is read.
    """
    engine = _started(str(path), threads) if path else _in_memory(threads).cursor()
    engine.execute("set TimeZone = 'UTC'")
    return engine


@cache
def _in_memory(threads: int | None) -> "DuckDBPyConnection":
    """One engine for the process: to start one takes 12 ms, and an evaluation looks at tables some hundred times."""
    return _started(":memory:", threads)


def _started(database: str, threads: int | None) -> "DuckDBPyConnection":
    import duckdb

    # Its cache of files would grow with every table that is looked at; the kernel has them too.
    config: dict[str, Any] = {"autoinstall_known_extensions": False, "enable_external_file_cache": False}
    config |= {"threads": threads} if threads else {}
    return duckdb.connect(database, config=config)


def fetch(engine: "DuckDBPyConnection", sql: str, params: Sequence[str | Sequence[str]] = ()) -> list[Row]:
    """The rows of a query, each by column name; `params` take the places of its question marks.

    They go in as SQL text: DuckDB's own binding imports pandas, which takes 0.2 s and 40 MB.
    """
    if params:
        engine.execute(f"prepare asked as {sql}")
        sql = f"execute asked({', '.join(map(literal, params))})"
    rows = engine.execute(sql).fetchall()
    names = [column[0] for column in engine.description]
    return [dict(zip(names, row, strict=True)) for row in rows]


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C came while DuckDB was at work: it swallows the exception, and tells it in words alone."""
    return isinstance(error, RuntimeError) and str(error) == "Query interrupted"
