"""What a comparison would find with evaluations that are only planned, if the noise of their suite is typical."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

from stoic_assets.core.comparison.effect import ALPHA, FEWEST_JOBS, POWER
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.student import TTest

TRIAL_NOISE, JOB_NOISE = 0.12, 0.04
"""σ of a trial's score, and τ: how far two versions that are equal on average differ in single jobs."""


def planned_detectable(trials: Sequence[int], delta: float) -> float | None:
    """The true difference, 0–1, that nine of ten comparisons of two such evaluations would find in a measure.

    `trials` are those of each job, each scenario one; `delta` is the smallest difference that matters. The spread of
    the jobs' differences is taken to be √(2τ² + 2σ²/trials), as in docs/statistics.md. None with too few jobs.
    """
    if len(trials) < FEWEST_JOBS:
        return None
    spread = sqrt(2 * JOB_NOISE**2 + 2 * TRIAL_NOISE**2 * fmean(1 / each for each in trials))
    planned = TTest(0.0, spread / sqrt(len(trials)), len(trials) - 1)
    return planned.detectable(ALPHA / len(GATING), POWER, delta)
