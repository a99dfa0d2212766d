"""Evaluations that are killed at random moments, resumed, and compared with an undisturbed one.

    python -m benchmarks.kills [--kills 20] [--seed N] [--trials 12] [--latency 0.4]

Each kill is a SIGKILL at a moment drawn evenly from the whole time that an undisturbed run takes, from process start to
end; an evaluation gets kills until one of its processes ends before its moment, three at most. Then all its tables must
have the rows of the undisturbed one, and the servers must have received no call twice except those under way: one turn
of each running trial, and judge calls in flight or with replies on their way to the disk. Once, a job is changed in
between: resuming must be refused.

Prints a Markdown table, and exits with 1 if anything is wrong.
"""

import argparse
import os
import platform
import random
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.kills.bill import Kill
from benchmarks.kills.doubles import Doubles, doubles
from benchmarks.kills.evaluation import Evaluated, Evaluation
from benchmarks.kills.project import JUDGES_UNDER_WAY
from benchmarks.kills.tables import differences
from benchmarks.throughput.processes import ROOT

MOST_KILLS = 3
"""Of one evaluation."""


def main() -> int:
    """Kills, compares, prints; 1 if anything differs."""
    asked = _arguments()
    print(f"{date.today()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}")
    print(f"{asked.kills} kills, seed {asked.seed}, {asked.trials} trials\n", flush=True)
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kills-", dir=asked.folder) as folder, doubles(asked.latency) as servers:
        whole = _evaluation(Path(folder), "whole", servers, asked).run(lambda: None)
        print(f"Undisturbed: {whole.seconds:.1f} s, {whole.calls} calls\n")
        problems = [*whole.problems, *_kill_all(Path(folder), servers, asked, whole)]
    for problem in problems:
        print(f"- {problem}")
    return 1 if problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--trials", type=int, default=12, help="a multiple of four")
    parser.add_argument("--latency", type=float, default=0.4, help="seconds of a call")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", help="where to work; on a disk")
    return parser.parse_args()


def _evaluation(folder: Path, name: str, servers: Doubles, asked: argparse.Namespace) -> Evaluation:
    return Evaluation(folder / name, f"{name}@1", servers, asked.trials, asked.latency)


def _kill_all(folder: Path, servers: Doubles, asked: argparse.Namespace, whole: Evaluated) -> list[str]:
    """Kills until there were enough; returns the problems found."""
    chance, problems, kills = random.Random(asked.seed), list[str](), list[Kill]()
    print("| evaluation | killed after | during | trials running | turns paid twice | judge calls paid twice | rows |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for number in count(1):
        wanted = min(MOST_KILLS, asked.kills - len(kills))
        moments = iter([chance.uniform(0, whole.seconds) for _ in range(wanted)])
        evaluation = _evaluation(folder, f"cut{number}", servers, asked)
        evaluated = evaluation.run(partial(next, moments, None), changed_job=number <= 2)
        other = differences(whole.rows, evaluated.rows)
        _print_kills(number, evaluated.kills, "differ" if other else "the same")
        problems += [f"evaluation {number}: {line}" for line in (*evaluated.problems, *other)]
        kills += evaluated.kills
        if len(kills) >= asked.kills:
            break
    _print_sum(kills, whole, number)
    return problems


def _print_kills(evaluation: int, kills: Sequence[Kill], rows: str) -> None:
    for kill in kills:
        judged = f"{kill.judge_calls_twice} ({kill.judge_calls_in_flight} in flight)"
        cells = [evaluation, f"{kill.at:.2f} s", kill.during, kill.running, kill.turns_twice, judged, rows]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def _print_sum(kills: Sequence[Kill], whole: Evaluated, evaluations: int) -> None:
    turns, judged = sum(kill.turns_twice for kill in kills), sum(kill.judge_calls_twice for kill in kills)
    print(
        f"\n{len(kills)} kills of {evaluations} evaluations with {len(whole.rows)} tables and "
        f"{sum(map(len, whole.rows.values()))} rows each: {turns} turns and {judged} judge calls were paid twice, of "
        f"{evaluations * whole.calls} calls; allowed were one turn for each running trial and {JUDGES_UNDER_WAY} judge "
        "calls for each kill."
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
