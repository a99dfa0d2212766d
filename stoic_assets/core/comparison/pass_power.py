"""pass^k: the chance that k attempts at the same thing all succeed, and its uncertainty over jobs.

For one cell with n valid trials of which c passed the estimate is C(c, k) / C(n, k), which is unbiased; the usual
(c/n)^k is 0.05 to 0.10 too high at n = 3 (docs/statistics.md). The cells' estimates come from the SQL model
`job_reliability`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from stoic_assets.core.comparison.student import all_alike, t_test
from stoic_assets.core.grouping import grouped
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.table_rows import Row

FEWEST_JOBS_FOR_INTERVAL = 12
"""With fewer, 95 % intervals cover the true value only 78 to 94 of 100 times."""


@dataclass(frozen=True)
class PassPower:
    """pass^k of an evaluation, 0–1: the mean over its jobs, where each scenario counts as a job.

    `why` is the reason if estimate or interval is missing.
    """

    k: int
    estimate: float | None
    low: float | None
    high: float | None
    jobs: int
    why: str | None


def pass_powers(rows: Iterable[Row]) -> list[PassPower]:
    """pass^k for each k in rows of `job_reliability` of one evaluation.

    Every cell must have k valid trials, else it is not estimable: leaving cells out would favour an agent that failed
    in them.
    """
    return [_of(k, own) for k, own in sorted(grouped((row["k"], row) for row in rows).items())]


def _of(k: int, rows: list[Row]) -> PassPower:
    short = sum(row["estimate"] is None for row in rows)
    jobs = grouped((job_key(row), row["estimate"]) for row in rows)
    if short:
        too_few = f"not estimable: {short} of {len(rows)} cells have fewer than {k} valid trials"
        return PassPower(k, None, None, None, len(jobs), too_few)
    means = [fmean(estimates) for estimates in jobs.values()]
    low, high, why = _interval(means)
    return PassPower(k, fmean(means), low, high, len(jobs), why)


def _interval(means: list[float]) -> tuple[float | None, float | None, str | None]:
    """The 95 % t interval over jobs, cut to 0–1."""
    if len(means) < FEWEST_JOBS_FOR_INTERVAL:
        return None, None, f"{plural(len(means), 'job')}; an interval needs {FEWEST_JOBS_FOR_INTERVAL}"
    if all_alike(means):
        return None, None, "all jobs have the same pass^k, which says nothing about the spread"
    low, high = t_test(means).interval(0.95)
    return max(0.0, low), min(1.0, high), None
