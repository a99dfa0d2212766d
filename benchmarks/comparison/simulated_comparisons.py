"""Runs the code under test on simulated trials: how often it calls equal versions different, and what it finds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.comparison.simulated_trials import Floats, Random, Suites, draw_means, draw_suites
from stoic_assets.core.comparison.family import Finding, Test, decide
from stoic_assets.core.comparison.measures import GATING, minimal_difference
from stoic_assets.core.comparison.paired_jobs import paired
from stoic_assets.core.configuration.settings import MinimalDifferences

NIGHTS = 30
CONDITIONS = ("withheld", "supplied")
Measures = frozenset[str]


@dataclass(frozen=True)
class Cell:
    """The size of a suite and its noise: `sigma` of a trial, `tau` of what is particular to version and job.

    With `tau` 0 the versions are clones, which do every job equally well.
    """

    jobs: int
    repeats: int
    sigma: float
    tau: float


def regressed(means: Floats) -> tuple[Measures, Measures]:
    """The measures that one comparison calls regressed, with the condition on δ and without it."""
    tests = [_test(place, means[..., place]) for place in range(len(GATING))]
    anyhow = _names(decide([replace(test, delta=0.0) for test in tests], gating=True))
    return (_names(decide(tests, gating=True)) if anyhow else anyhow), anyhow  # the condition only removes some


def _test(place: int, means: Floats) -> Test:
    base, candidate = map(cells_of, means.tolist())
    delta = minimal_difference(GATING[place], MinimalDifferences())
    return Test(GATING[place], "pooled", paired(base, candidate, "pooled"), delta)


def cells_of(values: Sequence[Sequence[Any]]) -> dict[tuple[str, str], Any]:
    """What they are by job and condition; the second may be missing."""
    return {
        (f"{job:02}", condition): value
        for job, cells in enumerate(values)
        for condition, value in zip(CONDITIONS, cells, strict=False)
    }


def _names(findings: Iterable[Finding]) -> Measures:
    return frozenset(found.measure for found in findings if found.verdict == "regressed")


def false_alarms(random: Random, cell: Cell, n: int) -> tuple[int, int]:
    """Comparisons of equal versions with anything regressed, with and without the condition on δ."""
    suites = draw_suites(random, n, cell.jobs, cell.tau)
    found = [regressed(means) for means in draw_means(random, suites, cell.repeats, cell.sigma)]
    return sum(bool(strict) for strict, _ in found), sum(bool(anyhow) for _, anyhow in found)


def found_drops(random: Random, cell: Cell, n: int, drop: float) -> tuple[int, float]:
    """Comparisons that find the first virtue regressed, and the sum of how much its scores really fell in each."""
    means = draw_means(random, draw_suites(random, n, cell.jobs, cell.tau, drop), cell.repeats, cell.sigma)
    found = sum(GATING[0] in regressed(one)[0] for one in means)
    fallen = means[:, 0, ..., 0].mean() - means[:, 1, ..., 0].mean()
    return found, float(fallen) * n


def drop_before_clipping(cell: Cell, observed: float) -> float:
    """How far the level must fall for scores, rounded and clipped at 1, to fall by `observed` on average."""
    from scipy.optimize import brentq

    def short(drop: float) -> float:
        random = np.random.default_rng(1)  # the same draws each time: a smooth function of the drop
        means = draw_means(random, draw_suites(random, 2000, cell.jobs, cell.tau, drop), cell.repeats, cell.sigma)
        return float(means[:, 0, ..., 0].mean() - means[:, 1, ..., 0].mean()) - observed

    return float(brentq(short, observed, 2 * observed, xtol=1e-4))


def alarmed_histories(random: Random, cell: Cell, n: int, stored_base: bool) -> tuple[int, int]:
    """Histories of equal versions in which an alarm is raised in any of the nights, with and without δ.

    An alarm needs a measure regressed in the night and again in a second run of that night. What is particular to a
    version and a job is the same in all nights: it is the same pair of versions. With `stored_base` one evaluation is
    the base in all of them, as when the base can no longer be called.
    """
    suites = draw_suites(random, n, cell.jobs, cell.tau)
    stored = draw_means(random, suites, cell.repeats, cell.sigma)[:, 0] if stored_base else None
    alarms = np.zeros((n, 2), dtype=bool)
    for _ in range(NIGHTS):
        for history, means in enumerate(_evaluated(random, suites, cell, stored)):
            night = regressed(means)
            if night[1]:
                base = stored[[history]] if stored is not None else None
                [means] = _evaluated(random, suites.only(history), cell, base)
                again = regressed(means)
                alarms[history] |= [bool(first & second) for first, second in zip(night, again, strict=True)]
    with_delta, without = alarms.sum(axis=0).tolist()
    return with_delta, without


def _evaluated(random: Random, suites: Suites, cell: Cell, stored: Floats | None) -> Floats:
    means = draw_means(random, suites, cell.repeats, cell.sigma)
    if stored is not None:
        means[:, 0] = stored
    return means
