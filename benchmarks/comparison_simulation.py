"""Can the verdicts of a comparison be trusted? Runs its code on simulated trials and compares with what is promised.

    python -m benchmarks.comparison_simulation [--quick]

Prints Markdown tables and exits 1 when a bound is broken. Takes about ten minutes on two free cores; `--quick` does a
twentieth of it and allows three standard errors more. docs/statistics.md has the results and says what they mean;
`benchmarks/comparison` draws the trials and compares them.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.comparison import forgetful_agent
from benchmarks.comparison.forgetful_agent import Forgetful, found_assertions
from benchmarks.comparison.simulated_comparisons import (
    Cell,
    alarmed_histories,
    drop_before_clipping,
    false_alarms,
    found_drops,
)
from benchmarks.comparison.simulated_trials import Floats
from benchmarks.comparison.unequal_repeats import Jobs, Unequal, verdicts
from benchmarks.markdown_table import print_table

SEED = 20261122
PROCESSES = 2
COMPARISONS, DROPS, HISTORIES, SHARES = 2000, 1000, 400, 20
"""Comparisons of a cell, comparisons with a drop, histories of a cell; each is divided into so many shares."""
MOST_IN_A_CELL, MOST_POOLED, MOST_MISSED, MOST_ALARMED, MOST_WEAKER = 0.065, 0.05, 0.10, 0.08, 0.10
EQUAL = [
    Cell(jobs, repeats, sigma, tau)
    for jobs in (5, 12, 40) for repeats in (1, 3) for sigma, tau in ((0.08, 0.03), (0.08, 0), (0.15, 0.05), (0.15, 0))
]  # fmt: skip
DROPPED, DROP = Cell(40, 3, 0.15, 0.05), 0.10
NIGHTLY = [(Cell(jobs, 3, 0.12, tau), stored) for stored in (False, True) for jobs in (12, 40) for tau in (0.04, 0)]
"""The second says whether one stored evaluation is the base in all nights."""
JOBS = 12
UNEQUAL = [
    Unequal((Jobs(JOBS, repeats),), conditions)
    for conditions in (1, 2) for repeats in ((1, 3), (1, 10), (3, 10), (3, 1), (10, 1))
]  # fmt: skip
SOME_UNEQUAL = [
    Unequal(groups, measures=("assertion",))
    for groups in (
        (Jobs(9, (1, 10)), Jobs(2, (1, 1), (0.6, 0.6))), (Jobs(10, (1, 10)), Jobs(2, (1, 1), (0.5, 0.5))),
        (Jobs(8, (1, 10)), Jobs(4, (3, 3), (0.5, 0.5))), (Jobs(6, (1, 10), (0.85, 0.85)), Jobs(8, (1, 1), (0.5, 0.5))),
        (Jobs(1, (1, 3)), Jobs(11, (1, 1))), (Jobs(1, (2, 3)), Jobs(11, (3, 3))),
    )
]  # fmt: skip
"""The first four are among the worst of thousands of designs that were tried."""
WORSE = [
    Unequal(tuple(Jobs(number, repeats, (0.95, 0.6)) for number, repeats in groups))
    for groups in (
        *([(JOBS, repeats)] for repeats in ((1, 1), (1, 3), (1, 10), (3, 1), (3, 3), (3, 10), (10, 1))),
        [(10, (1, 10)), (2, (1, 1))], [(1, (1, 3)), (11, (1, 1))], [(1, (2, 3)), (11, (3, 3))],
    )
]  # fmt: skip
FORGETFUL = [Forgetful(jobs, repeats, (1.0, 2 / 3)) for jobs in (3, 4, 8, 12) for repeats in (1, 2, 3, 5)]
CLONES = [Forgetful(jobs, repeats, (holds, holds)) for jobs in (4, 12) for repeats in (2, 5) for holds in (0.5, 0.9)]
WEAKER_NIGHTS = [
    (Forgetful(jobs, 3, (holds, holds), others), stored)
    for stored in (False, True) for jobs in (12, 40) for holds in (0.5, 0.9) for others in (0, forgetful_agent.OTHERS)
]  # fmt: skip
ALIKE = [
    Forgetful(12, repeats, (0.9, 0.9), alike=alike) for repeats in (3, 5) for alike in (0.05, 0.1, 0.3)
]  # fmt: skip
HEAD = ("jobs", "repeats", "σ", "τ")

Counts = tuple[float, ...]


@dataclass
class Work:
    """Simulations on all processes, in shares; each share has its own random numbers, whichever process draws them."""

    pool: ProcessPoolExecutor
    shares: int
    seeds: np.random.SeedSequence = field(default_factory=lambda: np.random.SeedSequence(SEED))

    def start(
        self, simulate: Callable[..., Counts], cell: Cell | Unequal | Forgetful, n: int, *more: float
    ) -> list[Future[Counts]]:
        """Starts `simulate` on the cell, `n` times if all shares are done."""
        seeds = self.seeds.spawn(self.shares)
        return [self.pool.submit(_share, simulate, seed, cell, n // SHARES, *more) for seed in seeds]

    def done(self, n: int) -> int:
        """How many of `n` are done."""
        return n // SHARES * self.shares


def _share(simulate: Callable[..., Counts], seed: np.random.SeedSequence, *more: Any) -> Counts:
    return simulate(np.random.default_rng(seed), *more)


def _summed(futures: Iterable[Future[Counts]]) -> Floats:
    return np.sum([future.result() for future in futures], axis=0)  # type: ignore[no-any-return]


@dataclass
class Bounds:
    """Compares rates with bounds and remembers whether one was broken. A quick run is allowed three standard errors."""

    quick: bool
    held: bool = True

    def percent(self, rate: float, most: float, n: int) -> str:
        """The rate for a table, in bold if it exceeds the bound."""
        holds = rate <= most + (3 * sqrt(most * (1 - most) / n) if self.quick else 0)
        self.held &= holds
        return f"{rate:.1%}" if holds else f"**{rate:.1%}**"


def simulate(quick: bool) -> bool:
    """Prints the results. Returns whether every bound holds."""
    bounds = Bounds(quick)
    with ProcessPoolExecutor(PROCESSES) as pool:
        work = Work(pool, 1 if quick else SHARES)
        started = [
            (show, n, [work.start(simulated, cell, n, *more) for cell, *more in cells])
            for show, simulated, n, cells in _parts()
        ]
        print(f"Seed {SEED}; {', '.join(f'{name} {version(name)}' for name in ('numpy', 'scipy'))}.")
        for show, n, results in started:
            show(bounds, [_summed(futures) for futures in results], work.done(n))
    return bounds.held


Part = tuple[Callable[[Bounds, Sequence[Floats], int], None], Callable[..., Counts], int, Sequence[tuple[Any, ...]]]
"""What prints the counts of a table; what is simulated for it, how often, and on which cells (and with what else)."""


def _parts() -> Iterator[Part]:
    """In the order in which random numbers are drawn."""
    yield _print_false_alarms, false_alarms, COMPARISONS, [(cell,) for cell in EQUAL]
    yield _print_drops, found_drops, DROPS, [(DROPPED, drop_before_clipping(DROPPED, DROP))]
    yield _print_nights, alarmed_histories, HISTORIES, NIGHTLY
    yield _print_unequal, verdicts, COMPARISONS, [(cell,) for cell in UNEQUAL]
    yield _print_worse, verdicts, DROPS, [(cell,) for cell in WORSE]
    yield _print_some_unequal, verdicts, COMPARISONS, [(cell,) for cell in SOME_UNEQUAL]
    yield _print_forgetful, found_assertions, DROPS, [(cell,) for cell in FORGETFUL]
    yield _print_clones, found_assertions, COMPARISONS, [(cell,) for cell in CLONES]
    yield _print_weaker_nights, forgetful_agent.alarmed_histories, HISTORIES, WEAKER_NIGHTS
    yield _print_alike, found_assertions, COMPARISONS, [(cell,) for cell in ALIKE]


def _print_false_alarms(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [*_described(cell), *(bounds.percent(count / n, MOST_IN_A_CELL, n) for count in found)]
        for cell, found in zip(EQUAL, counts, strict=True)
    ]
    pooled = n * len(EQUAL)
    rates = [bounds.percent(count / pooled, MOST_POOLED, pooled) for count in np.sum(counts, axis=0)]
    title = f"Two equal versions: {n:,} comparisons a cell, share with any measure `regressed`"
    print_table(title, [*HEAD, "with δ", "without δ"], [*rows, ["all", "", "", "", *rates]])


def _print_drops(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    [(found, fallen)] = counts
    row = [*_described(DROPPED), f"{fallen / n:.3f}", bounds.percent(1 - found / n, MOST_MISSED, n)]
    print_table(f"A drop in one virtue: {n:,} comparisons", [*HEAD, "mean drop", "not found"], [row])


def _print_nights(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [*_described(cell), "stored" if stored else "fresh",
         bounds.percent(with_delta / n, MOST_ALARMED, n), f"{without / n:.1%}"]
        for (cell, stored), (with_delta, without) in zip(NIGHTLY, counts, strict=True)
    ]  # fmt: skip
    title = f"Thirty nights of two equal versions: {n} histories a cell, share with an alarm"
    print_table(title, [*HEAD, "base", "with δ", "without δ"], rows)


def _print_unequal(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [str(cell.conditions), *map(str, cell.groups[0].repeats), *_both(bounds, found, n)]
        for cell, found in zip(UNEQUAL, counts, strict=True)
    ]
    title = f"Two clones, different numbers of repeats: {n:,} comparisons a cell, share with any such verdict"
    print_table(title, ["conditions", "base", "candidate", "regressed", "improved"], rows)


def _print_some_unequal(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [[*_groups(cell), *_both(bounds, found, n)] for cell, found in zip(SOME_UNEQUAL, counts, strict=True)]
    title = f"Two clones, different numbers of repeats in some jobs, assertions alone: {n:,} comparisons a cell"
    print_table(title, ["jobs", "others", "regressed", "improved"], rows)


def _both(bounds: Bounds, found: Floats, n: int) -> list[str]:
    """How often regressed and how often improved; in parentheses by the spread over jobs alone."""
    pairs = zip(found[:2], found[2:], strict=True)
    return [f"{bounds.percent(rule / n, MOST_IN_A_CELL, n)} ({by_jobs / n:.1%})" for rule, by_jobs in pairs]


def _print_worse(_: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [*_groups(cell), f"{regressed / n:.0%} ({by_jobs / n:.0%})"]
        for cell, (regressed, _, by_jobs, _) in zip(WORSE, counts, strict=True)
    ]
    print_table(f"A candidate whose assertions hold less often: {n:,}", ["jobs", "others", "regressed"], rows)


def _print_forgetful(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [str(cell.jobs), str(cell.repeats), f"{weaker / n:.0%}", f"{broke / n:.0%}",
         bounds.percent(false / n, MOST_POOLED, n)]
        for cell, (weaker, broke, false) in zip(FORGETFUL, counts, strict=True)
    ]  # fmt: skip
    title = f"A candidate that forgets a third of what the base always does: {n:,} comparisons a cell"
    print_table(title, ["jobs", "repeats", "found as weaker", "broken in a job", "another called weaker"], rows)


def _print_clones(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [str(cell.jobs), str(cell.repeats), f"{cell.holds[0]:.0%}", f"{broke / n:.0%}",
         *(bounds.percent(found / n, MOST_POOLED, n) for found in (weaker, other))]
        for cell, (weaker, broke, other) in zip(CLONES, counts, strict=True)
    ]  # fmt: skip
    title = f"Assertions of two clones: {n:,} comparisons a cell"
    print_table(title, ["jobs", "repeats", "holds", "broken in a job", "called weaker", "another called weaker"], rows)


def _print_weaker_nights(bounds: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [str(cell.jobs), f"{cell.holds[0]:.0%}", str(cell.others), "stored" if stored else "fresh",
         bounds.percent(found / n, MOST_WEAKER, n)]
        for (cell, stored), (found,) in zip(WEAKER_NIGHTS, counts, strict=True)
    ]  # fmt: skip
    title = f"Thirty nights of two clones: {n} histories a cell, share with an assertion called weaker in both rounds"
    print_table(title, ["jobs", "holds", "others", "base", "alarm"], rows)


def _print_alike(_: Bounds, counts: Sequence[Floats], n: int) -> None:
    rows = [
        [str(cell.repeats), f"{cell.alike:.2f}", *(f"{found / n:.1%}" for found in (weaker, other))]
        for cell, (weaker, _, other) in zip(ALIKE, counts, strict=True)
    ]
    title = f"Equal versions of which the trials of a job are alike: {n:,} comparisons a cell, nothing is promised"
    print_table(title, ["repeats", "correlation", "called weaker", "another called weaker"], rows)


def _groups(cell: Unequal) -> list[str]:
    first, *others = map(str, cell.groups)
    return [first, ", ".join(others) or "–"]


def _described(cell: Cell) -> list[str]:
    return [str(cell.jobs), str(cell.repeats), f"{cell.sigma:.2f}", f"{cell.tau:.2f}" if cell.tau else "0 (clones)"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulates comparisons of versions and holds them to their bounds.")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the comparisons")
    started = time.perf_counter()
    held = simulate(parser.parse_args().quick)
    print(f"\n{'All bounds hold' if held else 'A bound is broken'}; {time.perf_counter() - started:.0f} s.")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
