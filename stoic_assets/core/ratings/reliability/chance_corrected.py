"""Coefficients (observed − chance) / (1 − chance) over all raters at once: Gwet's AC1 and AC2, Fleiss' kappa.

They differ in how they define chance. An item with one mark counts for how common its level is but not for agreement
(Gwet, Handbook of Inter-Rater Reliability, 4th ed., chapters 2–5). With the same number of marks on every item, Fleiss'
kappa is the one of 1971.
"""

import numpy as np

from stoic_assets.core.ratings.missing_values import ratio
from stoic_assets.core.ratings.rating_table import Floats, category_counts


def ordinal_weights(levels: int) -> Floats:
    """How close two levels are, 0–1 (Gwet's ordinal weights): 1 − C(d + 1, 2) / C(levels, 2) at a distance of d."""
    steps = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels)))
    return np.asarray(1 - steps * (steps + 1) / (levels * (levels - 1)), dtype=np.float64)


def gwet_ac(marks: Floats, weights: Floats, closeness: Floats) -> Floats:
    """AC2 in each draw, or AC1 where `closeness` (levels × levels, 0–1) is the identity."""
    levels = len(closeness)
    counts = category_counts(marks, levels)
    shares = _shares(counts, weights)
    chance = closeness.sum() / (levels * (levels - 1)) * (shares * (1 - shares)).sum(axis=1)
    return _corrected(_agreement(counts, weights, closeness), chance)


def fleiss_kappa(marks: Floats, weights: Floats, levels: int) -> Floats:
    """Fleiss' kappa in each draw; NaN where all marks are the same, since chance then explains everything."""
    counts = category_counts(marks, levels)
    chance = (_shares(counts, weights) ** 2).sum(axis=1)
    return _corrected(_agreement(counts, weights, np.eye(levels)), chance)


def _agreement(counts: Floats, weights: Floats, closeness: Floats) -> Floats:
    """The mean, over items with two or more marks, of how close two of the item's marks are."""
    raters = counts.sum(axis=1)
    pairs = raters * (raters - 1)
    close = (counts * (counts @ closeness - 1)).sum(axis=1)
    return ratio(weights @ np.where(pairs > 0, close / np.maximum(pairs, 1), 0), weights @ (pairs > 0))


def _shares(counts: Floats, weights: Floats) -> Floats:
    """How common each level is: the mean of its share over items with a mark. Draws × levels."""
    raters = counts.sum(axis=1, keepdims=True)
    return ratio(weights @ (counts / np.maximum(raters, 1)), weights @ (raters > 0))


def _corrected(agreement: Floats, chance: Floats) -> Floats:
    left = 1 - chance
    return ratio(agreement - chance, np.where(left > 1e-12, left, 0))
