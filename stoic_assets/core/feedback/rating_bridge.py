"""From the marks of the rating page to virtues.

A mark r of 1–5 is (r − 1)/4. Which dimension counts as a mark of which virtue is a setting and a conjecture:
`core/calibration` shows for each edge whether dimension and virtue are related at all.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, variance

from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.feedback.human_evaluation import HumanFeedback
from stoic_assets.core.grouping import grouped
from stoic_assets.core.ratings.blinding import Keys
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, LEVELS, DimensionName, Overall
from stoic_assets.core.ratings.study import by_newest_rubric, counted
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.virtues import Virtue

Bridge = Mapping[DimensionName, Virtue]
"""Dimension of the rating page to virtue."""
Ratings = Mapping[str, Mapping[str, float]]
"""People's scores of one virtue, 0–1, by trial and rater."""

WISHED: Mapping[Overall, float] = {"no": 0.0, "maybe": 0.5, "yes": 1.0}
"""The answers to the overall question as satisfaction, 0–1."""


def rated_trials(rows: Iterable[Row], keys: Keys | None = None) -> dict[str, list[Row]]:
    """The ratings that count in rows of `human_ratings`, by trial; attention items and foreign studies have no trial.

    Of ratings of a trial by several rubrics, which `keys` know, those by the newest count; if somebody rated a reply on
    several pages, only the last of them.
    """
    in_order = sorted(counted(rows), key=lambda row: (row["rated_at"], row["test_id"], row.get("page_id") or ""))
    trials = grouped((row["trial_id"], row) for row in in_order if row["trial_id"] is not None)
    by_rubric = {trial_id: by_newest_rubric(found, keys or {})[0] for trial_id, found in sorted(trials.items())}
    return {trial_id: [*{row["rater_id"]: row for row in found}.values()] for trial_id, found in by_rubric.items()}


def rated_virtue(virtue: Virtue, trials: Mapping[str, Rows], bridge: Bridge) -> Ratings:
    """Every rater's score of a virtue in the `rated_trials`: the mean over the dimensions that were marked, if any."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for trial_id, ratings in trials.items():
        for rating in ratings:
            marks = [rating[name] for name, meant in bridge.items() if meant == virtue]
            if given := [scaled(mark) for mark in marks if mark is not None]:
                found[trial_id][rating["rater_id"]] = fmean(given)
    return found


def rated_feedback(rows: Iterable[Row], jobs: Mapping[str, str], keys: Keys) -> list[HumanFeedback]:
    """The combined ratings of each trial; `jobs` maps trials to their jobs, others are left out.

    The score of a dimension is the mean of its marks, the confidence the raters' agreement on this very reply. For
    `keys` see `rated_trials`.
    """
    return [
        HumanFeedback(
            id=f"ratings.{trial_id}",
            kind="ratings",
            agent_version=ratings[0]["agent_version"],
            task_id=jobs[trial_id],
            given_at=max(rating["rated_at"] for rating in ratings),
            metrics=metrics,
            trial_id=trial_id,
        )
        for trial_id, ratings in rated_trials(rows, keys).items()
        if trial_id in jobs and (metrics := _metrics(ratings)) is not None
    ]


def scaled(mark: float) -> float:
    """A mark of 1–5 as 0–1."""
    return (mark - 1) / (len(LEVELS) - 1)


def agreement(scores: Sequence[float], levels: int) -> float:
    """How far the raters of one item agree, 0–1: r_wg times (n − 1)/n, so that a single rater gives 0.

    r_wg = 1 − s²/σ², where σ² is the variance of marks given at random (James, Demaree, Wolf, Journal of Applied
    Psychology 69, 1984); here both on the 0–1 scale with `levels` equal steps. It needs no other items, so the
    confidence in one reply does not change when another one is rated.
    """
    if len(scores) < 2:
        return 0.0
    at_random = (levels + 1) / (12 * (levels - 1))
    return max(0.0, 1 - variance(scores) / at_random) * (1 - 1 / len(scores))


def _metrics(ratings: Rows) -> Metrics | None:
    """All dimensions and the overall answer; None where no dimension was marked."""
    marks = {name: [scaled(rating[name]) for rating in ratings if rating[name] is not None] for name in DIMENSION_NAMES}
    entries = tuple(
        DimensionFeedback(dimension=name, score=fmean(scores), confidence=agreement(scores, len(LEVELS)))
        for name, scores in marks.items()
        if scores
    )
    overall = [WISHED[rating["overall"]] for rating in ratings if rating["overall"]]
    if not entries:
        return None
    return Metrics(
        dimension_feedback=entries,
        overall_satisfaction=fmean(overall or [entry.score for entry in entries]),
        interpretation_confidence=agreement(overall, len(WISHED)),
    )
