"""Correlations: of the marks of an item (intraclass), and of the ranks of two figures of each item (Spearman's).

ICC(A,1) is the absolute agreement of one mark, ICC(A,k) that of the mean of an item's marks. Variance components of
the two-way random model by Henderson's first method (Searle, Casella and McCulloch, Variance Components, 1992, chapter
5), so that an item with a missing mark need not be dropped. On complete data these are the analysis-of-variance
estimates of Shrout and Fleiss (1979, their ICC(2,1) and ICC(2,k)) and McGraw and Wong (1996).
"""

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
from stoic_assets.core.rounding import DIGITS, ROUNDING

SINGULAR = 1e-9
"""A determinant below this, relative to its scale, means that items, raters and error cannot be separated."""


def icc_single(marks: Floats, weights: Floats) -> Floats:
    """ICC(A,1) in each draw: the share of the variance of a single mark that is between items."""
    items, within = _variance_components(marks, weights)
    return ratio(items, items + within)


def icc_mean(marks: Floats, weights: Floats) -> Floats:
    """ICC(A,k) in each draw; k is the harmonic mean of the number of marks on an item."""
    items, within = _variance_components(marks, weights)
    given = (~np.isnan(marks)).sum(axis=1)
    number = ratio(weights @ (given > 0), weights @ np.where(given > 0, 1 / np.maximum(given, 1), 0))
    return ratio(items, items + within / number)


def _variance_components(marks: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Variance between items, and between the marks of one item (raters and residual): two rows of draws."""
    there = (~np.isnan(marks)).astype(np.float64)
    # The middle of the scale is subtracted, so that squares stay small.
    values = np.where(there > 0, np.nan_to_num(marks) - 3, 0)
    given, sums = there.sum(axis=1), values.sum(axis=1)
    marks_of_rater, sum_of_rater = weights @ there, weights @ values
    total, items = weights @ given, weights @ (given > 0)
    raters = (marks_of_rater > 0).sum(axis=1).astype(np.float64)
    mean_square = ratio((weights @ sums) ** 2, total)
    by_item = weights @ (sums**2 / np.maximum(given, 1))
    by_rater = (sum_of_rater**2 / np.maximum(marks_of_rater, 1)).sum(axis=1)
    uneven_items, uneven_raters = ratio(weights @ given**2, total), ratio((marks_of_rater**2).sum(axis=1), total)
    equations = np.array([
        [total - uneven_items, items - uneven_raters, items - 1],
        [raters - uneven_items, total - uneven_raters, raters - 1],
        [uneven_items - raters, uneven_raters - items, total - items - raters + 1],
    ])
    left = weights @ (values**2).sum(axis=1) - by_item - by_rater + mean_square
    squares = np.array([by_item - mean_square, by_rater - mean_square, left])
    between, raters_apart, left_over = _solved(equations, squares, total)
    between, within = (np.where(np.abs(x) < ROUNDING, 0, x) for x in (between, raters_apart + left_over))
    # Below zero, which happens only with very uneven data, it would make a correlation above 1.
    return between, np.where(within >= 0, within, np.nan)


def _solved(equations: Floats, squares: Floats, total: Floats) -> Floats:
    """The solution of each draw's three equations, NaN where there is none."""
    systems, sides = np.moveaxis(equations, -1, 0), np.moveaxis(squares, -1, 0)
    solvable = np.abs(np.linalg.det(np.nan_to_num(systems))) > SINGULAR * total**3
    systems = np.where(solvable[:, None, None], systems, np.eye(3))
    solution = np.linalg.solve(systems, np.nan_to_num(sides)[..., None])[..., 0]
    return np.where(solvable[:, None], solution, np.nan).T


FEWEST_RANKED = 3


def spearman(x: Floats, y: Floats, resampling: Resampling) -> Estimate:
    """The rank correlation of two columns, −1 to 1; items where either is NaN are left out. Ties get the mean rank."""
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < FEWEST_RANKED:
        return undefined(f"{plural(len(x), 'item')} with both: a correlation needs at least {FEWEST_RANKED}")
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
    levels, place = np.unique(values.round(DIGITS), return_inverse=True)
    held = weights @ (place[:, None] == np.arange(len(levels)))
    ranks = np.cumsum(held, axis=1) - held / 2
    centred: Floats = ranks[:, place] - weights.sum(axis=1, keepdims=True) / 2
    return centred
