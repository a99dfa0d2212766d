"""Every coefficient on the example with which it was published, or with which its library is documented."""

import numpy as np
import pytest

from stoic_assets.core.ratings.reliability.chance_corrected import (
    Level,
    alpha,
    alpha_draws,
    fleiss_kappa,
    gwet_ac,
    kappa_matrix,
    mean_kappa,
    nominal_codes,
    ordinal_weights,
    quadratic_codes,
)
from stoic_assets.core.ratings.reliability.correlation import icc_mean, icc_single
from stoic_assets.core.ratings.reliability.estimate import as_observed

_ = np.nan
KRIPPENDORFF = np.array([
    [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3], [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
    [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
]).T  # fmt: skip
"""The example of the article on alpha in Wikipedia: 15 units, 3 coders, 4 values."""
FOUR_RATERS = np.array([
    [1, 1, _, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 2, 1],
    [2, 2, 2, 2], [_, 5, 5, 5], [_, _, 1, 1], [_, _, 3, _],
])  # fmt: skip
"""Krippendorff's and Gwet's: 12 units, 4 raters, 5 values (data set `cac.raw4raters` of irrCAC)."""
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1], [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""The example of the article on Fleiss' kappa in Wikipedia: 10 subjects, 14 raters, 5 categories."""
COHEN_1960 = [[88, 10, 2], [14, 40, 6], [18, 10, 12]]
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
"""Data set `cont3x3abstractors` of irrCAC."""
SHROUT_FLEISS = np.array([
    [9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7],
], dtype=float)  # fmt: skip
"""Table 2 of Shrout and Fleiss (1979): 6 targets, 4 judges."""


def two_raters(table: list[list[int]]) -> np.ndarray:
    """Items × 2 raters from their contingency table."""
    pairs = [(a, b) for a, row in enumerate(table, 1) for b, number in enumerate(row, 1) for _ in range(number)]
    return np.array(pairs, dtype=float)


def kappas(marks: np.ndarray) -> tuple[float, float]:
    """The mean kappa without and with quadratic weights."""
    once = as_observed(len(marks))
    return mean_kappa(nominal_codes(marks, 5), once)[0], mean_kappa(quadratic_codes(marks), once)[0]


@pytest.mark.parametrize(
    ("marks", "level", "published"),
    [
        (KRIPPENDORFF, "nominal", 0.691), (KRIPPENDORFF, "ordinal", 0.807),
        (FOUR_RATERS, "nominal", 0.743), (FOUR_RATERS, "ordinal", 0.815),
    ],
)  # fmt: skip
def test_krippendorffs_alpha(marks: np.ndarray, level: Level, published: float) -> None:
    assert alpha(marks, 5, level) == pytest.approx(published, abs=5e-4)
    assert alpha_draws(marks, as_observed(len(marks)), 5, level)[0] == pytest.approx(alpha(marks, 5, level), abs=1e-12)


def test_krippendorffs_interval_alpha_is_the_librarys() -> None:
    import krippendorff

    assert krippendorff.alpha(KRIPPENDORFF.T, level_of_measurement="interval") == pytest.approx(0.811, abs=5e-4)


def test_gwets_coefficients() -> None:
    once = as_observed(len(FOUR_RATERS))
    assert gwet_ac(FOUR_RATERS, once, np.eye(5))[0] == pytest.approx(0.77544, abs=5e-6)
    assert gwet_ac(FOUR_RATERS, once, ordinal_weights(5))[0] == pytest.approx(0.899, abs=5e-4)
    steps = np.abs(np.subtract.outer(range(5), range(5)))
    assert gwet_ac(FOUR_RATERS, once, 1 - (steps / 4) ** 2)[0] == pytest.approx(0.914, abs=5e-6)
    pairs = two_raters(ABSTRACTORS)
    assert gwet_ac(pairs, as_observed(len(pairs)), np.eye(3))[0] == pytest.approx(0.8493305, abs=5e-8)


def test_gwets_ordinal_weights() -> None:
    assert ordinal_weights(3) == pytest.approx(np.array([[1, 2 / 3, 0], [2 / 3, 1, 2 / 3], [0, 2 / 3, 1]]))


def test_fleiss_kappa() -> None:
    marks = np.array([np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], row) for row in FLEISS])
    assert fleiss_kappa(marks, as_observed(10), 5)[0] == pytest.approx(0.210, abs=5e-4)
    assert fleiss_kappa(FOUR_RATERS, as_observed(12), 5)[0] == pytest.approx(0.76117, abs=5e-6)


def test_cohens_kappa() -> None:
    assert kappas(two_raters(COHEN_1960))[0] == pytest.approx(0.492, abs=5e-4)
    assert kappas(two_raters(ABSTRACTORS)) == pytest.approx((0.7964094, 0.8921569), abs=5e-8)


def test_the_matrix_of_kappas_has_those_of_the_pairs() -> None:
    matrix = kappa_matrix(nominal_codes(FOUR_RATERS, 5))
    assert np.isnan(matrix.diagonal()).all()
    assert matrix[0, 1] == matrix[1, 0]
    both = FOUR_RATERS[~np.isnan(FOUR_RATERS[:, [0, 1]]).any(axis=1)][:, [0, 1]]
    assert matrix[0, 1] == pytest.approx(kappas(both)[0])


def test_intraclass_correlations() -> None:
    once = as_observed(6)
    assert icc_single(SHROUT_FLEISS, once)[0] == pytest.approx(0.29, abs=5e-3)
    assert icc_mean(SHROUT_FLEISS, once)[0] == pytest.approx(0.62, abs=5e-3)
    # The same to six places, as pingouin 0.7 has them.
    assert (icc_single(SHROUT_FLEISS, once)[0], icc_mean(SHROUT_FLEISS, once)[0]) == pytest.approx(
        (0.289764, 0.620051), abs=5e-7
    )
