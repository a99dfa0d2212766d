"""A warehouse of a thousand evaluations and more: what people ask of it, and what keeping it costs.

    python -m benchmarks.scale [--quick] [--folder FOLDER] [--evaluations N ...] [--full]

Each evaluation has 200 trials of 18 turns, each version 20 evaluations; 1,000 of them are 3.6 million turns and 1.2 GB.
Beyond the first point of the curve large tables are hard links and nothing is compacted there, unless --full.
Prints Markdown tables and exits with 1 when a goal is missed.
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
from benchmarks.scale.places import History

PER_VERSION = 20
SECONDS, SECONDS_COMPACTED = 2.0, 1.0
QUESTIONS_MB, COMPACTION_MB = 256, 512
ROUNDS = 3
Found = dict[str, Any]


def measure(folder: Path, points: list[int], full: bool) -> bool:
    """Measures at every point of the curve; whether the goals of the first one are met."""
    warehouse, held, before, after = folder / "warehouse", 0, list[Found](), list[Found]()
    for number in points:
        history = History(number // PER_VERSION, PER_VERSION)
        started = time.perf_counter()
        write_history(warehouse, history, held, linked=bool(held) and not full)
        print(f"{number:,} evaluations: written in {time.perf_counter() - started:.0f} s", flush=True)
        before.append(_questions(warehouse, history) | _run("upkeep", "write", warehouse, history))
        if full or not held:
            after.append(_compacted(warehouse, history))
        held = number
    _print_questions("Before compaction", points, before)
    _print_questions("After compaction", points, after)
    _print_upkeep(points, before, after)
    return (
        _within(before[0], SECONDS)
        and _within(after[0], SECONDS_COMPACTED)
        and after[0]["compaction"]["rss_mb"] < COMPACTION_MB
    )


def _within(found: Found, seconds: float) -> bool:
    return bool(found["together"]["wall"] < seconds and found["rss_mb"] < QUESTIONS_MB)


def _compacted(warehouse: Path, history: History) -> Found:
    """The same in a copy that was compacted; the files are linked, for none is ever rewritten."""
    copy = warehouse.with_name("compacted")
    subprocess.run(["cp", "-rl", str(warehouse), str(copy)], check=True)
    for own in (".stoic.duckdb.json", "stoic.duckdb"):
        (copy / own).unlink(missing_ok=True)
    compaction = _run("upkeep", "compact", copy, history)
    found = _questions(copy, history) | _run("upkeep", "write", copy, history) | {"compaction": compaction}
    shutil.rmtree(copy)
    return found


def _questions(warehouse: Path, history: History) -> Found:
    """The median of some processes, by the time of all questions together."""
    rounds = [_run("queries", warehouse, history) for _ in range(ROUNDS)]
    return sorted(rounds, key=lambda found: float(found["together"]["wall"]))[ROUNDS // 2]


def _run(module: str, *arguments: Any) -> Found:
    *texts, history = arguments
    sizes = (history.versions, history.per_version)
    command = [sys.executable, "-m", f"benchmarks.scale.{module}", *map(str, texts), *map(str, sizes)]
    found: Found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if "write" in found:
        found["write_mb"] = found.pop("rss_mb")
    return found


def _print_questions(title: str, points: list[int], found: list[Found]) -> None:
    names = ("composite", "trend", "comparison", "report", "transcript", "together")
    rows = [
        [f"{number:,}", *(f"{each[name]['wall']:.2f}" for name in names), f"{each['together']['cpu']:.2f}",
         f"{each['rss_mb']:.0f}"]
        for number, each in zip(points, found, strict=False)
    ]  # fmt: skip
    _print_table(f"{title}: seconds, CPU seconds, MB", ["evaluations", *names, "CPU", "MB"], rows)


def _print_upkeep(points: list[int], before: list[Found], after: list[Found]) -> None:
    stages = [
        *zip(points, ["before"] * len(before), before, strict=True),
        *zip(points, ["after"] * len(after), after, strict=False),
    ]
    rows = [
        [f"{number:,}", stage, f"{each['write']['wall']:.2f}", f"{each['write']['cpu']:.2f}",
         f"{each['publish']['wall']:.3f}"]
        for number, stage, each in stages
    ]  # fmt: skip
    _print_table("One more evaluation: seconds", ["evaluations", "compaction", "write", "CPU", "publish"], rows)
    rows = [
        [f"{number:,}", f"{done['merge']['wall']:.0f}", f"{done['merge']['cpu']:.0f}", f"{done['remove']['wall']:.1f}",
         f"{done['rss_mb']:.0f}", f"{done['files_before']:,} → {done['files_after']:,}"]
        for number, done in zip(points, [each["compaction"] for each in after], strict=False)
    ]  # fmt: skip
    _print_table("Compaction", ["evaluations", "merge s", "CPU s", "remove s", "MB", "files"], rows)


def _print_table(title: str, head: list[str], rows: list[list[str]]) -> None:
    lines = [head, ["---"] * len(head), *rows]
    print(f"\n{title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures a long history and holds it to its goals.")
    parser.add_argument("--quick", action="store_true", help="100 evaluations; under a minute")
    parser.add_argument("--folder", type=Path, help="where the warehouse is made and kept; default: a temporary folder")
    parser.add_argument("--evaluations", type=int, nargs="+", default=[1000, 2000, 5000], help="points of the curve")
    parser.add_argument("--full", action="store_true", help="no links, and every point is compacted too")
    given = parser.parse_args()
    points = [100] if given.quick else given.evaluations
    with tempfile.TemporaryDirectory(prefix="stoic-scale-") as temporary:
        met = measure(given.folder or Path(temporary), points, given.full)
    print("\n" + ("All goals are met." if met else "A goal is missed."))
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
