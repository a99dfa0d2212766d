"""A warehouse of a thousand evaluations and more: the cost of queries, and of keeping it.

    python -m benchmarks.scale [--quick | --evaluations N ...] [--full] [--per-version N] [--folder FOLDER]

Each evaluation has 200 trials of 18 turns; 1,000 of them are 3.6 million turns and 1.3 GB. Unless --full, the large
tables of evaluations beyond 1,000 are hard links, and such a warehouse is not compacted.
Prints Markdown, for docs/performance.md, and exits with 1 when a goal is missed.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.scale.history import write_history
from benchmarks.scale.places import ALWAYS_OWN, History
from benchmarks.scale.tables import Point, print_goals, print_tables

ROUNDS = 3
POINTS = [10, 1000, 5000]


def measure(folder: Path, history: History, held: int, full: bool) -> list[Point]:
    """Lets a warehouse with `held` evaluations grow to this history, and measures it."""
    warehouse, started = folder / "warehouse", time.perf_counter()
    write_history(warehouse, history, held, linked=not full)
    print(f"{history.evaluations:,} evaluations: written in {time.perf_counter() - started:.0f} s", flush=True)
    _run("upkeep", "compare", warehouse, history)
    found = _asked(warehouse, history) | _run("upkeep", "add", warehouse, history)
    before = Point(history.evaluations, "before", found | _run("report", warehouse, history))
    if history.evaluations > ALWAYS_OWN and not full:
        return [before]
    return [before, Point(history.evaluations, "after", _compacted(warehouse, history))]


def _compacted(warehouse: Path, history: History) -> dict[str, Any]:
    """The same in a copy that was compacted; the files are linked, since none is ever rewritten."""
    copy = warehouse.with_name("compacted")
    subprocess.run(["cp", "-rl", str(warehouse), str(copy)], check=True)
    for own in (".stoic.duckdb.json", "stoic.duckdb"):
        (copy / own).unlink(missing_ok=True)
    compaction = _run("upkeep", "compact", copy, history)
    found = compaction | _asked(copy, history) | _run("upkeep", "add", copy, history)
    shutil.rmtree(copy)
    return found


def _asked(warehouse: Path, history: History) -> dict[str, Any]:
    """The five questions: the median of some processes, by the time of all questions together."""
    rounds = [_run("queries", warehouse, history) for _ in range(ROUNDS)]
    return {"asked": sorted(rounds, key=lambda found: float(found["together"]["wall"]))[ROUNDS // 2]}


def _run(module: str, *arguments: Any) -> dict[str, Any]:
    """The output of a module of this package, in a process of its own."""
    *texts, history = arguments
    texts += [history.evaluations, history.per_version]
    command = [sys.executable, "-m", f"benchmarks.scale.{module}", *map(str, texts)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures a long history and holds it to its goals.")
    parser.add_argument("--quick", action="store_true", help="100 evaluations; under a minute")
    parser.add_argument("--evaluations", type=int, nargs="+", default=POINTS, help="points of the curve")
    parser.add_argument("--full", action="store_true", help="no links, and every point is compacted too")
    parser.add_argument("--per-version", type=int, default=20, help="evaluations of one version")
    parser.add_argument("--folder", type=Path, help="where the warehouse is made and kept; default: a temporary folder")
    given = parser.parse_args()
    sizes = [100] if given.quick else given.evaluations
    found: list[Point] = []
    with tempfile.TemporaryDirectory(prefix="stoic-scale-") as temporary:
        for held, size in zip([0, *sizes], sizes, strict=False):
            found += measure(given.folder or Path(temporary), History(size, given.per_version), held, given.full)
    print_tables(found)
    met = print_goals(found, max(size for size in sizes if size <= ALWAYS_OWN))
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
