"""What the libraries of an evaluation cost, each imported as the product does it and used once.

It is the part of processor time and memory that our own code cannot save.

    python -m benchmarks.throughput.libraries

Prints a Markdown table that adds up from row to row: CPU seconds, and the memory of the process in MB.
"""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.markdown_table import print_table

PAGES = Path("/proc/self/statm")
PAGE_BYTES = 4096


def main() -> None:
    """Imports and uses one after the other."""
    gc.set_threshold(100_000, 20, 20)  # as `stoic` does
    print_table("What the libraries cost", ["with", "CPU, s", "memory, MB"], rows())


def rows() -> Iterator[list[str]]:
    """Python's row, then one for each library once it has been used."""
    yield row("Python")
    for label, use in USES.items():
        use()
        yield row(label)


def row(label: str) -> list[str]:
    """What the process has cost so far."""
    resident = int(PAGES.read_text().split()[1]) * PAGE_BYTES / 1e6
    return [label, f"{time.process_time():.2f}", f"{resident:.0f}"]


def dagster() -> None:
    """The package alone, without definitions."""
    import dagster  # noqa: F401


def event_log() -> None:
    """Dagster's storage of runs and events."""
    from stoic_assets.defs import event_log  # noqa: F401


def model_client() -> None:
    """The openai package over aiohttp."""
    from stoic_assets.adapters.evaluation.conversations import import_clients

    import_clients(offline=False)


def duckdb() -> None:
    """Writes and reads a file."""
    from stoic_assets.adapters.warehouse.duckdb_engine import open_engine

    with tempfile.TemporaryDirectory() as folder, open_engine() as engine:
        engine.execute(f"copy (select range as n from range(1000)) to '{folder}/n.parquet'")
        engine.execute(f"select sum(n) from '{folder}/n.parquet'").fetchall()


def graph_driver() -> None:
    """Without a connection."""
    from stoic_assets.adapters.process.lean_imports import import_lean_neo4j

    import_lean_neo4j()
    from neo4j import AsyncGraphDatabase  # noqa: F401


def chart() -> None:
    """Draws one line."""
    from stoic_assets.core.presentation.drawing import INK_MARK, axes, svg

    figure, plot = axes(4, 3)
    plot.plot([1, 2])
    svg(figure, "line", INK_MARK)


USES: dict[str, Callable[[], None]] = {
    "Dagster": dagster,
    "its event log (SQLAlchemy, alembic)": event_log,
    "openai, aiohttp": model_client,
    "DuckDB, one small file": duckdb,
    "neo4j": graph_driver,
    "matplotlib, one chart": chart,
}


if __name__ == "__main__":
    main()
