"""Versions of which one is evaluated with more repeats than the other: how often are they called different?"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.comparison.simulated_comparisons import cells_of
from benchmarks.comparison.simulated_trials import Floats, Random, draw_suites, draw_trials, with_one_assertion
from stoic_assets.core.comparison.family import Test, decide
from stoic_assets.core.comparison.measures import GATING, minimal_difference
from stoic_assets.core.comparison.paired_jobs import NO_NOISE, paired
from stoic_assets.core.comparison.trial_values import difference_noise
from stoic_assets.core.configuration.settings import MinimalDifferences

SIGMA = 0.12
MEASURES = ("assertion", "timing", "overall")
"""Those of a suite without a judge. In larger families each measure is held to more."""


@dataclass(frozen=True)
class Jobs:
    """Some jobs with one assertion each, which `holds` with the version's chance in each trial.

    `repeats` and `holds` are those of base and candidate.
    """

    number: int
    repeats: tuple[int, int]
    holds: tuple[float, float] = (0.9, 0.9)

    def __str__(self) -> str:
        holds = f" ({self.holds[0]:.0%})" if self.holds[0] == self.holds[1] else ""
        return f"{self.number} with {self.repeats[0]} and {self.repeats[1]}{holds}"


@dataclass(frozen=True)
class Unequal:
    """A suite of `groups` of jobs under so many `conditions`, compared by `measures`.

    But for how often the assertions hold, the versions are clones.
    """

    groups: tuple[Jobs, ...]
    conditions: int = 1
    measures: tuple[str, ...] = MEASURES

    @property
    def repeats(self) -> list[list[int]]:
        """Version × job."""
        return [[group.repeats[version] for group in self.groups for _ in range(group.number)] for version in (0, 1)]

    @property
    def holds(self) -> list[list[float]]:
        """Version × job."""
        return [[group.holds[version] for group in self.groups for _ in range(group.number)] for version in (0, 1)]


def verdicts(random: Random, cell: Unequal, n: int) -> tuple[int, ...]:
    """Comparisons with anything regressed and with anything improved; then both by the spread over jobs alone."""
    repeats, holds = cell.repeats, np.array(cell.holds)
    suites = with_one_assertion(draw_suites(random, n, holds.shape[1], tau=0), holds)
    trials = draw_trials(random, suites, max(map(max, repeats)), SIGMA)[:, :, :, : cell.conditions]
    counts: Counter[tuple[bool, str]] = Counter()
    for measures in np.moveaxis(trials, -1, 1):
        tests = [_test(name, measures[GATING.index(name)], repeats) for name in cell.measures]
        by_jobs = [replace(test, pairs=[replace(pair, noise=NO_NOISE) for pair in test.pairs]) for test in tests]
        for rule, family in ((True, tests), (False, by_jobs)):
            counts.update({(rule, found.verdict) for found in decide(family, gating=True)})
    return tuple(counts[rule, verdict] for rule in (True, False) for verdict in ("regressed", "improved"))


def _test(name: str, versions: Floats, repeats: list[list[int]]) -> Test:
    """The trials are version × job × condition × repeat."""
    base, candidate = (
        [job[:, :number].tolist() for job, number in zip(*version, strict=True)]
        for version in zip(versions, repeats, strict=True)
    )
    means = (cells_of([np.mean(job, axis=-1).tolist() for job in side]) for side in (base, candidate))
    cells = (zip(*sides, strict=True) for sides in zip(base, candidate, strict=True))
    noise = cells_of([[difference_noise(*cell) for cell in job] for job in cells]) if repeats[0] != repeats[1] else {}
    return Test(name, "pooled", paired(*means, "pooled", noise), minimal_difference(name, MinimalDifferences()))
