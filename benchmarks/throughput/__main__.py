"""How fast an evaluation is, compared with the shortest time possible for any client.

    python -m benchmarks.throughput [--runs 5] [--trials 200] [--latency 0.2] [--bookkeeping 0] [--judges 250]

Prints Markdown tables: the times of `stoic eval`, of a bare aiohttp client for the same calls, and how many calls a
second the model adapter makes. docs/performance.md has the results and says what they mean.
"""

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import TypeVar

from benchmarks.markdown_table import print_table
from benchmarks.throughput.evaluation import Measured, evaluate
from benchmarks.throughput.processes import ROOT, await_quiet, python, served
from benchmarks.throughput.workload import Workload, write_project

CONVERSATIONS, CALLS = 200, 20
"""For the model adapter alone: conversations at the same time, and calls in each."""
QUIET = 0.12
"""Share of the processors that may be busy before a run."""
R = TypeVar("R")
Row = tuple[str, Callable[[Measured], float], str, str]
"""A printed row of a run: label, value, form, and the goal for the standard workload."""


def rows(workload: Workload) -> Sequence[Row]:
    """All printed rows."""
    floor = workload.floor
    return (
        ("wall, from process start to its end, s", lambda run: run.wall, ".2f", "≤ 11"),
        ("· start-up: to the first call, s", lambda run: run.start_up, ".2f", ""),
        ("· work: first call to stored composite, s", lambda run: run.working, ".2f", "≤ 9"),
        ("· after: comparison, reports, fitness, s", lambda run: run.closing, ".2f", ""),
        ("work ÷ floor", lambda run: run.working / floor, ".2f", "≤ 1.25"),
        ("CPU of our process, s", lambda run: run.cpu, ".2f", "< 5.5"),
        ("peak memory of our process, MB", lambda run: run.peak_mb, ".0f", "< 200"),
        ("bare aiohttp client: wall, s", lambda run: run.bare_wall, ".2f", ""),
        ("bare aiohttp client: wall ÷ floor", lambda run: run.bare_wall / floor, ".2f", ""),
        ("bare aiohttp client: CPU, s", lambda run: run.bare_cpu, ".2f", ""),
    )


def main() -> None:
    """Measures and prints."""
    asked = _arguments()
    workload = Workload(asked.trials, judges_at_once=asked.judges, latency=asked.latency, bookkeeping=asked.bookkeeping)
    print(f"{date.today()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}")
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="throughput-", dir=asked.folder) as name:
        folder = Path(name)
        write_project(folder, workload)
        runs = [_quietly(evaluate, folder, f"bench@{number}", workload) for number in range(asked.runs + 1)]
    print_evaluations(runs, workload)
    print_adapter([_quietly(_pressed, asked.latency) for _ in range(asked.runs)], asked.latency)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput")
    parser.add_argument("--runs", type=int, default=5, help="measured runs; the first one in a new home comes on top")
    parser.add_argument("--trials", type=int, default=200, help="a multiple of ten")
    parser.add_argument("--judges", type=int, default=250, help="judge calls at the same time")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of a call")
    parser.add_argument("--bookkeeping", type=float, default=0.0, help="seconds of a call that needs no model")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", help="where to work; on a disk")
    return parser.parse_args()


def _quietly(measure: Callable[..., R], *arguments: object) -> R:
    """Measures once the machine is quiet, and says so if it stays busy."""
    if (busy := await_quiet(QUIET)) > QUIET:
        print(f"(the processors are {busy:.0%} busy with something else)", flush=True)
    return measure(*arguments)


def print_evaluations(runs: Sequence[Measured], workload: Workload) -> None:
    """The runs as a table; the first of them had to make the home."""
    counted = runs[1:] or runs
    shown = []
    for label, value, form, goal in rows(workload):
        new, values = format(value(runs[0]), form), [value(run) for run in counted]
        shown.append([label, *_middle_and_all(values, form), new, goal])
    print_table(
        f"{workload.trials} trials, {runs[0].calls} calls of {workload.latency:g} s; floor {workload.floor:.2f} s",
        ["", "median", "runs", "first run in a new home", "goal"], shown,
    )


def print_adapter(runs: Sequence[dict[str, float]], latency: float) -> None:
    """The model adapter as a table."""
    rates, costs = [run["calls"] / run["wall"] for run in runs], [run["cpu"] / run["calls"] * 1000 for run in runs]
    print_table(
        f"{CONVERSATIONS} conversations of {CALLS} calls of {latency:g} s through the model adapter",
        ["", "median", "runs", "goal", "at most possible"],
        [["calls a second", *_middle_and_all(rates, ".0f"), "≥ 700", f"{CONVERSATIONS / latency:.0f}"],
         ["CPU of a call, ms", *_middle_and_all(costs, ".2f"), "", ""]],
    )  # fmt: skip


def _pressed(latency: float) -> dict[str, float]:
    with served("model", latency, 0) as model:
        return python("benchmarks.throughput.adapter", f"{model.url}/v1", str(CONVERSATIONS), str(CALLS))


def _middle_and_all(values: Sequence[float], form: str) -> tuple[str, str]:
    return format(median(values), form), ", ".join(format(value, form) for value in sorted(values))


if __name__ == "__main__":
    main()
