"""The size of a difference between two versions over paired jobs, by Student's t, and how certain it is.

Jobs are the observations: trials of one job are not independent, and tests over trials (McNemar, Wilcoxon) call equal
versions different in up to 34 of 100 comparisons (docs/statistics.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from stoic_assets.core.comparison.paired_jobs import NO_NOISE, Noise
from stoic_assets.core.comparison.student import TTest, all_alike, t_test
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.rounding import ROUNDING

FEWEST_JOBS = 5
"""With four jobs a t quantile after Holm exceeds 6, and coarse scores make equal differences likely."""
NO_SPREAD = "every job scored the same in both versions"
ALPHA = 0.05
POWER = 0.90


@dataclass(frozen=True)
class Tested:
    """Both one-sided p; by Student's t also the 95 % and 90 % intervals of the difference, −1 to 1.

    `detectable` is the true difference of which a suite of this spread finds, with 90 % power, that it is there and
    relevant. Without any spread only both p exist.
    """

    p_less: float
    p_greater: float
    low: float | None = None
    high: float | None = None
    low_90: float | None = None
    high_90: float | None = None
    detectable: float | None = None


@dataclass(frozen=True)
class Effect:
    """Mean difference over jobs, −1 to 1; None without a job. `why` is the reason when nothing can be tested."""

    jobs: int
    difference: float | None
    tested: Tested | None = None
    why: str | None = None


def effect(differences: Sequence[float], tests: int, delta: float, noise: Noise = NO_NOISE) -> Effect:
    """The effect over job differences, in a family of `tests` hypotheses; from `delta` on a difference is relevant.

    `noise` is what single trials cause on average over jobs: if the spread over jobs is smaller, that was luck.
    """
    jobs = len(differences)
    if not jobs:
        return Effect(0, None, why="measured by no job in both versions")
    mean = fmean(differences)
    if jobs < FEWEST_JOBS:
        found = f"measured by only {plural(jobs, 'job')} in both versions"
        return Effect(jobs, mean, why=f"{found}; at least {FEWEST_JOBS} are needed")
    if all_alike(differences) and abs(mean) < ROUNDING:
        return Effect(jobs, mean, why=NO_SPREAD)
    return Effect(jobs, mean, _tested(differences, tests, delta, noise))


def _tested(differences: Sequence[float], tests: int, delta: float, noise: Noise) -> Tested:
    """What the test over jobs and that by `noise` both say.

    `detectable` is for the strictest level of Holm, α/tests.
    """
    found = _t_tests(differences, noise)
    chances = [(each.p_less, each.p_greater) for each in found]
    if all_alike(differences):
        chances.append(_by_sign(differences))
    p_less, p_greater = map(max, zip(*chances, strict=True))
    if not found:
        return Tested(p_less, p_greater)
    (low, high), (low_90, high_90) = (_widest(found, confidence) for confidence in (0.95, 0.90))
    finest = max(each.detectable(ALPHA / tests, POWER, delta) for each in found)
    return Tested(p_less, p_greater, low, high, low_90, high_90, finest)


def _t_tests(differences: Sequence[float], noise: Noise) -> list[TTest]:
    """By the spread over jobs and by `noise`, where there is any."""
    jobs = len(differences)
    found = [] if all_alike(differences) else [t_test(differences)]
    if sqrt(noise.variance) > ROUNDING:
        found.append(TTest(fmean(differences), sqrt(noise.variance / jobs), max(noise.freedom, jobs - 1)))
    return found


def _widest(found: Sequence[TTest], confidence: float) -> tuple[float, float]:
    """All have the same mean."""
    intervals = [each.interval(confidence) for each in found]
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _by_sign(differences: Sequence[float]) -> tuple[float, float]:
    """Both p of the sign test, for jobs that all differ by the same amount, as when a version fails in every one.

    Between equal versions each job is as likely to differ the other way: p is 0.5 to the power of the number of jobs.
    """
    chance = 0.5 ** len(differences)
    return (chance, 1.0) if differences[0] < 0 else (1.0, chance)
