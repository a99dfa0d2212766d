"""A mean over trials and its uncertainty, with jobs as clusters: trials of one job resemble each other."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean

from stoic_assets.core.comparison.student import SAME, quantile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class WeightedScore:
    """The score (0–1) of one trial of a job, or of one scenario of it, and its weight (not negative)."""

    job: str
    score: float
    weight: float = 1.0


@dataclass(frozen=True)
class ClusteredMean:
    """A mean, 0–1, None without a score.

    `low` and `high` are the two-sided 95 % interval, `lower_bound` the one-sided 95 % bound, cut to 0–1; all three are
    None where `why` gives a reason.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    lower_bound: float | None = None
    why: str | None = None


def estimated(scores: Sequence[WeightedScore]) -> ClusteredMean:
    """The weighted mean, with an interval by Student's t over jobs; unweighted if all weights are 0.

    se² = k/(k−1) · Σ(Σ w·(score − mean) over the trials of a job)² / (Σ w)² for k jobs (linearised ratio estimator,
    Cochran, Sampling Techniques, §2.11); with equally many trials of equal weight in each job that is the t interval
    over job means.
    """
    if not scores:
        return ClusteredMean(None, why="no trial was scored")
    counted = [each for each in scores if each.weight > 0] or [WeightedScore(each.job, each.score) for each in scores]
    mean = fmean([each.score for each in counted], [each.weight for each in counted])
    jobs = len({each.job for each in counted})
    if jobs < 2:
        return ClusteredMean(mean, why="all scored trials are of one job; an interval needs two")
    error = _standard_error(counted, mean, jobs)
    if error < SAME:
        return ClusteredMean(mean, why="all jobs have the same mean, which says nothing about the spread")
    two_sided, one_sided = quantile(jobs - 1, (1 + CONFIDENCE) / 2), quantile(jobs - 1, CONFIDENCE)
    return ClusteredMean(
        mean, max(0.0, mean - two_sided * error), min(1.0, mean + two_sided * error), max(0.0, mean - one_sided * error)
    )


def _standard_error(scores: Sequence[WeightedScore], mean: float, jobs: int) -> float:
    deviations: dict[str, list[float]] = defaultdict(list)
    for each in scores:
        deviations[each.job].append(each.weight * (each.score - mean))
    squares = fsum(fsum(of_job) ** 2 for of_job in deviations.values())
    return sqrt(jobs / (jobs - 1) * squares) / fsum(each.weight for each in scores)

