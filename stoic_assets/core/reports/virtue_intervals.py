"""How far off each virtue's mean may be: a low score of a few trials is often chance."""

from collections.abc import Iterable

from stoic_assets.core.evolution.estimate import WeightedScore, estimated
from stoic_assets.core.grouping import grouped
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.presentation.formatting import beside
from stoic_assets.core.table_rows import Row


def virtue_intervals(composites: Iterable[Row], virtues: Iterable[Row], below: float) -> dict[str, str]:
    """The 95 % interval of each virtue's mean, as text; a virtue whose jobs give none is absent.

    It is computed as in the fitness update, but holdout jobs count, and people do not. The rows are those of
    `composite_scores` and `trial_virtues`; `below` is the score, 0–1, below which a virtue is weak.
    """
    jobs = {row["trial_id"]: job_key(row) for row in composites if row["valid"]}
    scored = [row for row in virtues if row["trial_id"] in jobs and row["score"] is not None]
    of_virtues = grouped(
        (row["virtue"], WeightedScore(jobs[row["trial_id"]], row["score"], row["confidence"] or 0.0)) for row in scored
    )
    found = {virtue: estimated(scores) for virtue, scores in of_virtues.items()}
    return {
        virtue: f"{beside(mean.low, below)} to {beside(mean.high, below)}"
        for virtue, mean in found.items()
        if mean.low is not None and mean.high is not None
    }
