"""Coefficients (observed − chance) / (1 − chance) of agreement: Gwet's AC1 and AC2, Krippendorff's alpha, the kappas.

They differ in how they define chance. An item with one mark counts for how common its level is but not for agreement
(Gwet, Handbook of Inter-Rater Reliability, 4th ed., chapters 2–5). With the same number of marks on every item, Fleiss'
kappa is the one of 1971.

Krippendorff's alpha allows any number of raters and any pattern of missing marks. The library computes the figure; the
draws of its bootstrap are computed here, all at once, by the same formula (Krippendorff, Content Analysis, 4th ed.,
chapter 12): coincidences within items, distances from their margins.

Cohen's kappa is that of every two raters, over the items that both rated, and its mean. A kappa weights disagreement by
the squared distance between codes: a mark's code is its number for the quadratic kappa, and a row of zeros with a one
at its level for the unweighted kappa. So both are the same sums: 1 − Σ|x − y|² / (Σ|x|² + Σ|y|² − 2 Σx·Σy / n) over the
n shared items.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from stoic_assets.core.ratings.rating_table import Floats, category_counts, mean_draws, ratio
from stoic_assets.core.ratings.reliability.estimate import as_observed


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
    close = (counts * (counts @ closeness - 1)).sum(axis=1)
    return mean_draws(ratio(close, raters * (raters - 1)), weights)


def _shares(counts: Floats, weights: Floats) -> Floats:
    """How common each level is: the mean of its share over items with a mark. Draws × levels."""
    return mean_draws(ratio(counts, counts.sum(axis=1, keepdims=True)), weights)


def _corrected(agreement: Floats, chance: Floats) -> Floats:
    left = 1 - chance
    return ratio(agreement - chance, np.where(left > 1e-12, left, 0))


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


Codes = npt.NDArray[np.float32]
"""Parts of the code × items × raters, zero only where there is no mark. Whole numbers: sums stay exact in 32 bits."""
BLOCK = 256
"""Pairs at a time: 1,225 pairs of 50 raters at once would take gigabytes."""


def quadratic_codes(marks: Floats) -> Codes:
    """Codes whose squared distance is that of the marks."""
    return np.nan_to_num(marks)[None].astype(np.float32)


def nominal_codes(marks: Floats, levels: int) -> Codes:
    """Codes that are equally far apart for any two different marks."""
    return np.stack([marks == level for level in range(1, levels + 1)]).astype(np.float32)


def mean_kappa(codes: Codes, weights: Floats) -> Floats:
    """The mean kappa in each draw, pairs weighted by the number of items they share; NaN where no pair has a kappa."""
    sums = shares = np.zeros(len(weights))
    for _, kappas, shared in pair_kappas(codes, weights):
        shared = np.where(np.isnan(kappas), 0, shared)
        sums = sums + (np.nan_to_num(kappas) * shared).sum(axis=1)
        shares = shares + shared.sum(axis=1)
    return ratio(sums, shares)


def kappa_matrix(codes: Codes) -> Floats:
    """Raters × raters, symmetric; NaN on the diagonal and for pairs that share no item or both gave one same mark."""
    _, items, raters = codes.shape
    matrix = np.full((raters, raters), np.nan)
    for (first, second), kappas, _ in pair_kappas(codes, as_observed(items)):
        matrix[first, second] = matrix[second, first] = kappas[0]
    return matrix


def pair_kappas(
    codes: Codes, weights: Floats
) -> Iterator[tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], Floats, Floats]]:
    """Pairs of raters that share an item, some at a time, with kappas and numbers of shared items: draws × pairs."""
    light = weights.astype(np.float32)
    counts = (codes.sum(axis=0) > 0).astype(np.float32)
    first, second = np.nonzero(np.triu(counts.T @ counts, 1))
    for start in range(0, len(first), BLOCK):
        pair = first[start : start + BLOCK], second[start : start + BLOCK]
        both = counts[:, pair[0]] * counts[:, pair[1]]
        yield pair, *_kappas(codes[:, :, pair[0]] * both, codes[:, :, pair[1]] * both, both, light)


def _kappas(x: Codes, y: Codes, both: Codes, weights: Codes) -> tuple[Floats, Floats]:
    shared = (weights @ both).astype(np.float64)
    apart = (weights @ ((x - y) ** 2).sum(axis=0)).astype(np.float64)
    squares = (weights @ (x**2 + y**2).sum(axis=0)).astype(np.float64)
    cross = sum((weights @ a).astype(np.float64) * (weights @ b) for a, b in zip(x, y, strict=True))
    # Multiplied by the number of items, all values are whole numbers: the test for zero is exact.
    return 1 - ratio(shared * apart, shared * squares - 2 * cross), shared
