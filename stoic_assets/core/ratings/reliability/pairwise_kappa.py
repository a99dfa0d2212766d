"""Cohen's kappa of every two raters, over the items that both rated, and its mean.

A kappa weights disagreement by the squared distance between codes: a mark's code is its number for the quadratic kappa,
and a row of zeros with a one at its level for the unweighted kappa. So both are the same sums:
1 − Σ|x − y|² / (Σ|x|² + Σ|y|² − 2 Σx·Σy / n) over the n shared items.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from stoic_assets.core.ratings.missing_values import ratio
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.reliability.resampling import as_observed

Codes = npt.NDArray[np.float32]
"""Parts of the code × items × raters, zero where there is no mark. Whole numbers: their sums stay exact in 32 bits."""
BLOCK = 256
"""Pairs at a time: 1,225 pairs of 50 raters at once would take gigabytes."""


def quadratic_codes(marks: Floats) -> Codes:
    """Codes whose squared distance is that of the marks."""
    return np.nan_to_num(marks)[None].astype(np.float32)


def nominal_codes(marks: Floats, levels: int) -> Codes:
    """Codes that are equally far apart for any two different marks."""
    return np.stack([marks == level for level in range(1, levels + 1)]).astype(np.float32)


def mean_kappa(codes: Codes, there: npt.NDArray[np.bool_], weights: Floats) -> Floats:
    """The mean kappa in each draw, pairs weighted by the number of items they share; NaN where no pair has a kappa.

    `there` (items × raters) says which marks exist.
    """
    sums = shares = np.zeros(len(weights))
    for _, kappas, shared in pair_kappas(codes, there, weights):
        shared = np.where(np.isnan(kappas), 0, shared)
        sums = sums + (np.nan_to_num(kappas) * shared).sum(axis=1)
        shares = shares + shared.sum(axis=1)
    return ratio(sums, shares)


def kappa_matrix(codes: Codes, there: npt.NDArray[np.bool_]) -> Floats:
    """Raters × raters, symmetric; NaN on the diagonal and for pairs that share no item or both gave one same mark."""
    matrix = np.full((there.shape[1],) * 2, np.nan)
    for (first, second), kappas, _ in pair_kappas(codes, there, as_observed(len(there))):
        matrix[first, second] = matrix[second, first] = kappas[0]
    return matrix


def pair_kappas(
    codes: Codes, there: npt.NDArray[np.bool_], weights: Floats
) -> Iterator[tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], Floats, Floats]]:
    """Pairs of raters that share an item, some at a time, with kappas and numbers of shared items: draws × pairs."""
    light = weights.astype(np.float32)
    counts = there.astype(np.float32)
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
