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

JOBS, SIGMA = 12, 0.12
MEASURES = ("assertion", "timing", "overall")
"""Those of a suite without a judge. In larger families each measure is held to more."""


@dataclass(frozen=True)
class Unequal:
    """The `repeats` of base and candidate, under so many `conditions`.

    Each of the `JOBS` has one assertion, which `holds` with the version's chance in each trial. Else they are clones.
    """

    conditions: int
    repeats: tuple[int, int]
    holds: tuple[float, float] = (0.9, 0.9)


def verdicts(random: Random, cell: Unequal, n: int) -> tuple[int, ...]:
    """Comparisons with anything regressed and with anything improved; then both by the spread over jobs alone."""
    suites = with_one_assertion(draw_suites(random, n, JOBS, tau=0), cell.holds)
    trials = draw_trials(random, suites, max(cell.repeats), SIGMA)[:, :, :, : cell.conditions]
    counts: Counter[tuple[bool, str]] = Counter()
    for versions in np.moveaxis(trials, -1, 1):
        sides = [versions[:, place, :, :, :repeats] for place, repeats in enumerate(cell.repeats)]
        tests = [_test(name, *(side[GATING.index(name)] for side in sides)) for name in MEASURES]
        by_jobs = [replace(test, pairs=[replace(pair, noise=NO_NOISE) for pair in test.pairs]) for test in tests]
        for rule, family in ((True, tests), (False, by_jobs)):
            counts.update({(rule, found.verdict) for found in decide(family, gating=True)})
    return tuple(counts[rule, verdict] for rule in (True, False) for verdict in ("regressed", "improved"))


def _test(name: str, base: Floats, candidate: Floats) -> Test:
    """The trials of both sides are job × condition × repeat."""
    jobs = zip(base.tolist(), candidate.tolist(), strict=True)
    noise = [[difference_noise(*cell) for cell in zip(*sides, strict=True)] for sides in jobs]
    means = (cells_of(side.mean(axis=-1).tolist()) for side in (base, candidate))
    return Test(
        name, "pooled", paired(*means, "pooled", cells_of(noise)), minimal_difference(name, MinimalDifferences())
    )
