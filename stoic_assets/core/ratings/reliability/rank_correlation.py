"""Spearman's rank correlation between two figures of each item, with a bootstrap interval over items."""

import numpy as np

from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.ratings.rating_table import Floats, ratio
from stoic_assets.core.ratings.reliability.estimate import (
    Estimate,
    Resampling,
    as_observed,
    item_weights,
    undefined,
    with_interval,
)

FEWEST = 3


def spearman(x: Floats, y: Floats, resampling: Resampling) -> Estimate:
    """The rank correlation of two columns, −1 to 1; items where either is NaN are left out. Ties get the mean rank."""
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < FEWEST:
        return undefined(f"{plural(len(x), 'item')} with both: a correlation needs at least {FEWEST}")
    value = spearman_draws(x, y, as_observed(len(x)))[0]
    drawn = spearman_draws(x, y, item_weights(len(x), resampling))
    return with_interval(value, drawn, len(x), "one of the two never varies")


def spearman_draws(x: Floats, y: Floats, weights: Floats) -> Floats:
    """The rank correlation in each draw, NaN where one of the two does not vary in it."""
    a, b = (_centred_ranks(values, weights) for values in (x, y))
    together, spread = (weights * a * b).sum(axis=1), (weights * a**2).sum(axis=1) * (weights * b**2).sum(axis=1)
    # Ranks are multiples of a half, so a spread that is not zero is far above rounding.
    return ratio(together, np.sqrt(np.where(spread > 1e-6, spread, 0)))


def _centred_ranks(values: Floats, weights: Floats) -> Floats:
    """The rank of each item within each draw, less the mean rank: draws × items."""
    levels, place = np.unique(values, return_inverse=True)
    held = weights @ (place[:, None] == np.arange(len(levels)))
    ranks = np.cumsum(held, axis=1) - held / 2
    centred: Floats = ranks[:, place] - weights.sum(axis=1, keepdims=True) / 2
    return centred
