"""What single trials were scored, and how much of the difference between two versions their spread may cause.

Where two equal versions have the same number of trials, a job is as likely to differ one way as the other, and
Student's t over the jobs is right. Otherwise it is not: an assertion that holds in nine of ten trials may well hold in
the one trial that each job of the base has. Ten trials of the candidate then show a drop of about 0.1 in every job, and
by the spread of these drops a fifth of such comparisons would call equal versions different (docs/statistics.md). The
spread within the cells knows better: it tells how far single trials lie apart.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from statistics import fmean

from stoic_assets.core.comparison.failed_trials import is_left_out
from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT, MEASURES
from stoic_assets.core.comparison.paired_jobs import NO_NOISE, Cell, Noise, NoisyCells, cell_of
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.table_rows import Row


def trial_noise(base: Side, candidate: Side) -> dict[str, NoisyCells]:
    """The noise of each measure in each cell where the numbers of valid trials differ; none if they differ nowhere.

    That some of them have no value, as on one side the agent failed, does not count: `lee_bounds` sees to it.
    """
    before, after = (Counter(cell_of(row) for row in side.trials if row["valid"]) for side in (base, candidate))
    cells = {cell for cell in before.keys() & after.keys() if before[cell] != after[cell]}
    return {measure: _noise(base, candidate, measure, cells) for measure in MEASURES} if cells else {}


def _noise(base: Side, candidate: Side, measure: str, cells: Set[Cell]) -> NoisyCells:
    before, after = (trial_values(side, measure) for side in (base, candidate))
    found: dict[str, dict[str, Noise]] = defaultdict(dict)
    for job, condition in before.keys() & after.keys() & cells:
        found[job][condition] = difference_noise(before[job, condition], after[job, condition])
    return found


def difference_noise(before: Sequence[float], after: Sequence[float]) -> Noise:
    """The noise of the difference of both means by the spread of single trials; none if there are equally many.

    The spread is that of both sides together, since one that has a single trial shows none.
    """
    if len(before) == len(after):
        return NO_NOISE
    freedom = len(before) + len(after) - 2
    variance = (_squares(before) + _squares(after)) / freedom
    return Noise(variance * (1 / len(before) + 1 / len(after)), freedom)


def _squares(values: Sequence[float]) -> float:
    """The sum of their squared distances from their mean."""
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values)


def trial_values(side: Side, measure: str) -> Mapping[Cell, list[float]]:
    """What the valid trials of each cell were scored, as `job_measures` counts it."""
    scores = {row["trial_id"]: row["score"] for row in side.virtues if row["virtue"] == measure}
    values: dict[Cell, list[float]] = defaultdict(list)
    for row in side.trials:
        value = _value(row, measure, scores)
        if row["valid"] and value is not None:
            values[cell_of(row)].append(value)
    return values


def _value(row: Row, measure: str, scores: Mapping[str, float]) -> float | None:
    if measure in LEAVING_FAILURES_OUT and is_left_out(row, measure):
        return None
    if measure == "task" and row["outcome"] == "agent_error":
        return 0.0
    return scores.get(row["trial_id"], row.get(measure))
