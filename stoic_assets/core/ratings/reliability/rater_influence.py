"""The influence of each rater on a study: how lenient they are, and what agreement would be without them."""

import numpy as np

from stoic_assets.core.ratings.rating_table import MARKS, Floats, RatingTable, ratio
from stoic_assets.core.ratings.reliability.chance_corrected import alpha
from stoic_assets.core.ratings.reliability.estimate import Estimate, as_observed, with_interval
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES


def _from_others(marks: Floats) -> Floats:
    """Each mark less the mean of the other raters' marks on the item, NaN where there is no other."""
    there = ~np.isnan(marks)
    given, sums = there.sum(axis=-1, keepdims=True), np.nansum(marks, axis=-1, keepdims=True)
    return marks - ratio(sums - np.nan_to_num(marks), given - there.astype(np.float64))


def leniency(table: RatingTable, weights: Floats) -> dict[str, Estimate]:
    """How far each rater marks above (+) or below (−) the others on the same items, in marks, over all dimensions."""
    apart = _from_others(table.all_marks())
    sums, numbers = np.nansum(apart, axis=0), (~np.isnan(apart)).sum(axis=0).astype(np.float64)
    value, draws = (ratio(drawn @ sums, drawn @ numbers) for drawn in (as_observed(len(table.items)), weights))
    items = (numbers > 0).sum(axis=0)
    return {
        rater: with_interval(value[0, column], draws[:, column], int(items[column]), "rated no item that others rated")
        for column, rater in enumerate(table.raters)
    }


def alpha_without(table: RatingTable) -> dict[str, dict[str, float | None]]:
    """Ordinal alpha of each dimension without one rater: by that rater, then dimension; None where undefined."""
    return {
        rater: {
            dimension: _or_none(alpha(np.delete(table.marks[dimension], column, axis=1), MARKS, "ordinal"))
            for dimension in DIMENSION_NAMES
        }
        for column, rater in enumerate(table.raters)
    }


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
