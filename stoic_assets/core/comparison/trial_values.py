"""What single trials were scored, and how much of the difference between two versions their spread may cause.

Where two equal versions have the same number of trials, a job is as likely to differ one way as the other, and
Student's t over the jobs is right. Otherwise it is not: an assertion that holds in nine of ten trials may well hold in
the one trial that each job of the base has. Ten trials of the candidate then show a drop of about 0.1 in every job, and
by the spread of these drops a fifth of such comparisons would call equal versions different (docs/statistics.md). The
spread within the cells knows better: it tells how far single trials lie apart. As soon as the numbers differ somewhere,
that of every cell is needed: the noise of the others is part of that of the mean difference.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from statistics import fmean

from stoic_assets.core.comparison.failed_trials import is_left_out
from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT, MEASURES
from stoic_assets.core.comparison.paired_jobs import NO_NOISE, Cell, Noise, NoisyCells, cell_of
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.grouping import grouped
from stoic_assets.core.table_rows import Row


def trial_noise(base: Side, candidate: Side, jobs: Set[str]) -> dict[str, NoisyCells]:
    """The noise of each measure in each cell, if in any of these jobs the numbers of valid trials differ; else none.

    That some of them have no value, as on one side the agent failed, does not count: `lee_bounds` sees to it.
    """
    before, after = (_valid_trials(side, jobs) for side in (base, candidate))
    if all(before[cell] == after[cell] for cell in before.keys() & after.keys()):
        return {}
    return {measure: _noise(base, candidate, measure) for measure in MEASURES}


def _valid_trials(side: Side, jobs: Set[str]) -> Counter[Cell]:
    return Counter(cell_of(row) for row in side.trials if row["valid"] and row["job"] in jobs)


def _noise(base: Side, candidate: Side, measure: str) -> NoisyCells:
    before, after = (trial_values(side, measure) for side in (base, candidate))
    return {cell: difference_noise(before[cell], after[cell]) for cell in before.keys() & after.keys()}


def difference_noise(before: Sequence[float], after: Sequence[float]) -> Noise:
    """The noise of the difference of both means by the spread of single trials; unknown if each side has only one.

    The spread is that of both sides together, since one that has a single trial shows none.
    """
    freedom = len(before) + len(after) - 2
    if not freedom:
        return NO_NOISE
    variance = (_squares(before) + _squares(after)) / freedom
    return Noise(variance * (1 / len(before) + 1 / len(after)), freedom)


def _squares(values: Sequence[float]) -> float:
    """The sum of their squared distances from their mean."""
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values)


def trial_values(side: Side, measure: str) -> Mapping[Cell, list[float]]:
    """What the valid trials of each cell were scored, as `job_measures` counts it in the cells of which it has a row.

    Elsewhere a failed trial may have a 0 although nothing was asked of it; what is compared are the rows.
    """
    scores = {row["trial_id"]: row["score"] for row in side.virtues if row["virtue"] == measure}
    valid = (row for row in side.trials if row["valid"])
    return grouped((cell_of(row), value) for row in valid if (value := _value(row, measure, scores)) is not None)


def _value(row: Row, measure: str, scores: Mapping[str, float]) -> float | None:
    if measure in LEAVING_FAILURES_OUT and is_left_out(row, measure):
        return None
    if measure == "task" and row["outcome"] == "agent_error":
        return 0.0
    return scores.get(row["trial_id"], row.get(measure))
