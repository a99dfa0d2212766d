"""DuckDB in this process: starts it, writes values as its SQL, and fetches rows from it."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stoic_assets.core.table_rows import Row

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Answer = TypeVar("Answer")


def open_engine(path: Path | None = None, threads: int | None = 1) -> "DuckDBPyConnection":
    """A connection to DuckDB in memory, or on a file; uses UTC and downloads no extension.

    What it creates in memory must be temporary: only temporary objects are private, all others are seen by the whole
    process. One thread gives the same sums each time, to the last bit, with the least memory and CPU; None uses all
    processors, which pays where a whole history is read.
    """
    engine = _started(str(path), threads) if path else _in_memory(threads).cursor()
    engine.execute("set TimeZone = 'UTC'")
    return engine


@cache
def _in_memory(threads: int | None) -> "DuckDBPyConnection":
    """The one engine of the process: starting it takes 12 ms, and an evaluation reads tables about a hundred times."""
    return _started(":memory:", threads)


def _started(database: str, threads: int | None) -> "DuckDBPyConnection":
    import duckdb

    # Its file cache would grow with every table that is read; the kernel caches them too.
    config: dict[str, Any] = {"autoinstall_known_extensions": False, "enable_external_file_cache": False}
    config |= {"threads": threads} if threads else {}
    return duckdb.connect(database, config=config)


def fetch(engine: "DuckDBPyConnection", sql: str, params: Sequence[str | Sequence[str]] = ()) -> list[Row]:
    """The rows of a query, each by column name; `params` replace its question marks.

    They are passed as SQL text: DuckDB's own binding imports pandas, which takes 0.2 s and 40 MB.
    """
    if params:
        engine.execute(f"prepare asked as {sql}")
        sql = f"execute asked({', '.join(map(_literal, params))})"
    rows = engine.execute(sql).fetchall()
    names = [column[0] for column in engine.description]
    return [dict(zip(names, row, strict=True)) for row in rows]


def twice_if_changed(ask: Callable[[bool], Answer]) -> Answer:
    """The result of `ask(again)`, which is called once more where a file was removed meanwhile, or lacks a new column.

    `again` is whether it is the second call, which has to look anew which files there are.
    """
    import duckdb

    try:
        return ask(False)
    except (duckdb.IOException, duckdb.InvalidInputException):
        return ask(True)


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C came while DuckDB was at work: it swallows the exception and reports it only by this message."""
    return isinstance(error, RuntimeError) and str(error) == "Query interrupted"


def quoted(text: str | Path) -> str:
    """A text as an SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def _literal(value: str | Sequence[str]) -> str:
    """A text, or a list of texts, in DuckDB's SQL."""
    return quoted(value) if isinstance(value, str) else f"[{', '.join(map(quoted, value))}]::varchar[]"
