"""The size of a difference between two versions over paired jobs, by Student's t, and how sure it is.

Jobs are the observations: trials of one job share what is particular to it, and tests over trials (McNemar, Wilcoxon)
call equal versions different in up to 34 of 100 comparisons (docs/statistics.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev

FEWEST_JOBS = 5
"""With four jobs a t quantile after Holm exceeds 6, and coarse scores make equal differences likely."""
ALPHA = 0.05
POWER = 0.90
_SAME = 1e-9
"""Differences closer than this differ by rounding alone."""


@dataclass(frozen=True)
class Tested:
    """What Student's t says: the 95 % and 90 % intervals of the difference, −1 to 1, and both one-sided p.

    `detectable` is the difference that a suite of this spread finds with 90 % power.
    """

    low: float
    high: float
    low_90: float
    high_90: float
    p_less: float
    p_greater: float
    detectable: float


@dataclass(frozen=True)
class Effect:
    """Mean difference over jobs, −1 to 1; None without a job. When nothing can be tested, `why` says why."""

    jobs: int
    difference: float | None
    tested: Tested | None = None
    why: str | None = None


def effect(differences: Sequence[float], tests: int) -> Effect:
    """The effect over job differences, where `tests` hypotheses share the error of a family."""
    jobs = len(differences)
    if not jobs:
        return Effect(0, None, why="no job measured it in both versions")
    mean = fmean(differences)
    if jobs < FEWEST_JOBS:
        return Effect(jobs, mean, why=f"paired jobs: {jobs}; at least {FEWEST_JOBS} are needed")
    if max(differences) - min(differences) < _SAME:
        return Effect(jobs, mean, why=f"every job differs by the same {mean:+.2f}, which shows no spread to test with")
    return Effect(jobs, mean, _tested(differences, tests))


def _tested(differences: Sequence[float], tests: int) -> Tested:
    from scipy.stats import t as student
    from scipy.stats import ttest_1samp

    jobs, freedom = len(differences), len(differences) - 1
    result = ttest_1samp(differences, 0.0)
    wide, narrow = result.confidence_interval(0.95), result.confidence_interval(0.90)
    return Tested(
        float(wide.low), float(wide.high), float(narrow.low), float(narrow.high),
        p_less=float(student.cdf(result.statistic, freedom)), p_greater=float(student.sf(result.statistic, freedom)),
        detectable=_detectable(jobs, tests) * stdev(differences),
    )


@cache
def _detectable(jobs: int, tests: int) -> float:
    """In standard deviations over jobs: what the t test finds with `POWER` where Holm is hardest, at α/tests."""
    from statsmodels.stats.power import TTestPower

    return float(TTestPower().solve_power(nobs=jobs, alpha=ALPHA / tests, power=POWER, alternative="larger"))
