"""Krippendorff's alpha, which allows any number of raters and any pattern of missing marks.

The library computes the figure; the draws of its bootstrap are computed here, all at once, by the same formula
(Krippendorff, Content Analysis, 4th ed., chapter 12): coincidences within items, distances from their margins.
"""

from typing import Literal

import numpy as np

from stoic_assets.core.ratings.missing_values import ratio
from stoic_assets.core.ratings.rating_table import Floats, category_counts

Level = Literal["nominal", "ordinal"]


def alpha(marks: Floats, levels: int, level: Level) -> float:
    """Alpha of items × raters, at most 1; NaN where no item has two marks or all marks are the same."""
    import krippendorff

    counts = category_counts(marks, levels)
    pairable = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=pairable, level_of_measurement=level))


def alpha_draws(marks: Floats, weights: Floats, levels: int, level: Level) -> Floats:
    """Alpha in each draw; `weights` are draws × items."""
    coincidences = weights @ _coincidences(category_counts(marks, levels)).reshape(len(marks), -1)
    coincidences = coincidences.reshape(-1, levels, levels)
    totals = coincidences.sum(axis=2)
    distances = _distances(totals, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * distances).sum(axis=(1, 2))
    return 1 - ratio((totals.sum(axis=1) - 1) * observed, expected)


def _coincidences(counts: Floats) -> Floats:
    """The pairs of marks within each item, each item's sum being its number of marks: items × levels × levels."""
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    others = np.maximum(counts.sum(axis=1) - 1, 1)
    coincidences: Floats = pairs / others[:, None, None]
    return coincidences


def _distances(totals: Floats, level: Level) -> Floats:
    """Squared distances between levels in each draw; ordinal ones count the marks between two levels."""
    if level == "nominal":
        return np.broadcast_to(1 - np.eye(totals.shape[1]), (len(totals), totals.shape[1], totals.shape[1]))
    middle = np.cumsum(totals, axis=1) - totals / 2
    return (middle[:, :, None] - middle[:, None, :]) ** 2
