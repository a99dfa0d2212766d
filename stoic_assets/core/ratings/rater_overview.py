"""What each rater of a study did, in figures: how much, how high, how differently, how fast and how attentively."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from stoic_assets.core.grouping import grouped
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rater_checks import heeded
from stoic_assets.core.ratings.rating_table import Floats, RatingTable
from stoic_assets.core.ratings.study import RatingsByKind
from stoic_assets.core.table_rows import Rows


@dataclass(frozen=True)
class RaterOverview:
    """One rater. What was not measured is None.

    `rated` counts the items that count; `mean` and `sd` are of all marks on them, 1–5; `not_applicable` is the share of
    them without a mark on actionability, and `median_seconds` the active time on one. `attention_heeded` of
    `attention_shown` attention items were answered as they asked; `repeat_change` is how far marks on repeated items
    were from the first ones on average.
    """

    rater_id: str
    rated: int
    mean: float | None
    sd: float | None
    not_applicable: float
    median_seconds: float | None
    attention_shown: int
    attention_heeded: int
    repeat_change: float | None


def rater_overviews(
    ratings: RatingsByKind, table: RatingTable, items: Mapping[str, RatedItem]
) -> tuple[RaterOverview, ...]:
    """One for each rater, by id; `table` are the ratings that count."""
    changes, marks = ratings.repeat_changes, table.all_marks()
    own = grouped((row["rater_id"], row) for row in ratings.counted)
    attentive = grouped((row["rater_id"], heeded(row, items)) for row in ratings.attention)
    return tuple(
        _overview(rater, own[rater], marks[:, :, column], attentive[rater], changes.get(rater, []))
        for column, rater in enumerate(table.raters)
    )


def _overview(
    rater: str, own: Rows, marks: Floats, attentive: Sequence[bool], changes: Sequence[float]
) -> RaterOverview:
    given = marks[~np.isnan(marks)]
    seconds = [row["seconds"] for row in own if row.get("seconds") is not None]
    return RaterOverview(
        rater_id=rater,
        rated=len(own),
        mean=float(given.mean()) if len(given) else None,
        sd=float(given.std()) if len(given) else None,
        not_applicable=fmean(row.get("actionability") is None for row in own),
        median_seconds=median(seconds) if seconds else None,
        attention_shown=len(attentive),
        attention_heeded=sum(attentive),
        repeat_change=fmean(changes) if changes else None,
    )
