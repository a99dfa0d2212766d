"""The check for raters whose marks are far from everyone else's.

A rater is compared only with the others: their mean on the item, and how much they differ among themselves. So one odd
rater cannot hide by widening the spread, nor make the others look odd.
"""

from collections.abc import Iterator

import numpy as np

from stoic_assets.core.presentation.formatting import difference
from stoic_assets.core.ratings.checks.flag import RaterFlag
from stoic_assets.core.ratings.missing_values import ratio
from stoic_assets.core.ratings.rating_table import Floats, RatingTable
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES

FARTHEST = 3.0
"""The |z| beyond which a mark is an outlier."""
MOST_OUTLIERS = 0.05
"""The share of outliers from which on a rater is flagged; chance alone gives about 0.3 %."""
FEWEST_OUTLIERS = 3
ROUNDING_SD = 1 / np.sqrt(12)
"""The standard deviation that rounding to whole marks causes: even perfect agreement is no more precise than that."""


def outliers(table: RatingTable) -> Iterator[RaterFlag]:
    """Raters with 5 % or more (at least 3) of their marks more than 3 standard deviations from the others' mean."""
    scores = np.stack([outlier_scores(table.marks[dimension]) for dimension in DIMENSION_NAMES])
    for column, rater in enumerate(table.raters):
        own = scores[:, :, column]
        far, judged = int((np.abs(own) > FARTHEST).sum()), int((~np.isnan(own)).sum())
        if far >= max(FEWEST_OUTLIERS, MOST_OUTLIERS * judged):
            dimension, item = np.unravel_index(np.nanargmax(np.abs(own)), own.shape)
            mark = table.marks[DIMENSION_NAMES[dimension]][item, column]
            distance = difference(own[dimension, item])
            example = f"{DIMENSION_NAMES[dimension]} {mark:.0f} for {table.items[item]} (z {distance})"
            detail = f"{far} of {judged} marks are far from the others', for example {example}"
            yield RaterFlag(rater, "outlier", detail)


def outlier_scores(marks: Floats) -> Floats:
    """z of each mark against the other raters of its item: items × raters, NaN where fewer than two others rated.

    The unit is the others' standard deviation within items, pooled over all items, widened by the uncertainty of the
    mean of those n marks: σ·√(1 + 1/n).
    """
    scores = np.full(marks.shape, np.nan)
    for column in range(marks.shape[1]):
        others = np.delete(marks, column, axis=1)
        given = (~np.isnan(others)).sum(axis=1).astype(np.float64)
        means = ratio(np.nansum(others, axis=1), given)
        spread = max(_pooled_sd(others, means, given), ROUNDING_SD)
        comparable = given >= 2
        distance = (marks[:, column] - means)[comparable]
        scores[comparable, column] = distance / (spread * np.sqrt(1 + 1 / given[comparable]))
    return scores


def _pooled_sd(marks: Floats, means: Floats, given: Floats) -> float:
    freedom = (given - 1)[given >= 2].sum()
    return float(np.sqrt(np.nansum((marks - means[:, None]) ** 2) / freedom)) if freedom else 0.0
