"""The bootstrap, draw by draw, against the libraries on the resampled data itself."""

from itertools import combinations

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.reliability.chance_corrected import (
    Level,
    alpha_draws,
    fleiss_kappa,
    mean_kappa,
    nominal_codes,
    quadratic_codes,
)
from stoic_assets.core.ratings.reliability.correlation import icc_mean, icc_single, spearman_draws
from stoic_assets.core.ratings.reliability.estimate import Resampling, item_weights

ITEMS, RATERS, DRAWS = 40, 4, 12
WEIGHTS = item_weights(ITEMS, Resampling(DRAWS, 3))
DRAWN = [np.repeat(np.arange(ITEMS), weights.astype(int)) for weights in WEIGHTS]
"""The items of each draw, an item as many times as it was drawn."""


def marks(missing: float) -> Floats:
    random = np.random.default_rng(11)
    given = np.clip(np.round(3.3 + random.normal(0, 1, (ITEMS, 1)) + random.normal(0, 0.8, (ITEMS, RATERS))), 1, 5)
    return np.where(random.random(given.shape) < missing, np.nan, given)


COMPLETE, RAGGED = marks(0.0), marks(0.25)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@pytest.mark.parametrize("given", [COMPLETE, RAGGED])
def test_alpha(given: Floats, level: Level) -> None:
    expected = [
        krippendorff.alpha(given[drawn].T, value_domain=[1, 2, 3, 4, 5], level_of_measurement=level) for drawn in DRAWN
    ]
    assert alpha_draws(given, WEIGHTS, 5, level) == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_pairwise_kappa_on_complete_data_is_the_plain_mean(weights: str | None) -> None:
    codes = quadratic_codes(COMPLETE) if weights else nominal_codes(COMPLETE, 5)
    expected = [
        np.mean([
            cohen_kappa_score(COMPLETE[drawn, a], COMPLETE[drawn, b], labels=[1, 2, 3, 4, 5], weights=weights)
            for a, b in combinations(range(RATERS), 2)
        ])
        for drawn in DRAWN
    ]
    assert mean_kappa(codes, WEIGHTS) == pytest.approx(np.array(expected), abs=1e-12)


def test_pairwise_kappa_on_ragged_data_counts_pairs_by_the_items_they_share() -> None:
    expected = []
    for drawn in DRAWN:
        pairs = [(RAGGED[drawn, a], RAGGED[drawn, b]) for a, b in combinations(range(RATERS), 2)]
        shared = [(x[both], y[both]) for x, y in pairs for both in [~np.isnan(x) & ~np.isnan(y)]]
        kappas = [cohen_kappa_score(x, y, labels=[1, 2, 3, 4, 5], weights="quadratic") for x, y in shared]
        expected.append(np.average(kappas, weights=[len(x) for x, _ in shared]))
    assert mean_kappa(quadratic_codes(RAGGED), WEIGHTS) == pytest.approx(np.array(expected), abs=1e-12)


def test_fleiss_kappa() -> None:
    expected = [fleiss_of_statsmodels(aggregate_raters(COMPLETE[drawn].astype(int))[0]) for drawn in DRAWN]
    assert fleiss_kappa(COMPLETE, WEIGHTS, 5) == pytest.approx(np.array(expected), abs=1e-12)


def test_intraclass_correlations_are_those_of_the_analysis_of_variance() -> None:
    expected = np.array([anova(COMPLETE[drawn]) for drawn in DRAWN])
    assert icc_single(COMPLETE, WEIGHTS) == pytest.approx(expected[:, 0], abs=1e-12)
    assert icc_mean(COMPLETE, WEIGHTS) == pytest.approx(expected[:, 1], abs=1e-12)


def anova(given: Floats) -> tuple[float, float]:
    """ICC(A,1) and ICC(A,k) from mean squares (McGraw and Wong 1996, table 4)."""
    (n, k), centre = given.shape, given.mean()
    rows = k * ((given.mean(axis=1) - centre) ** 2).sum() / (n - 1)
    columns = n * ((given.mean(axis=0) - centre) ** 2).sum() / (k - 1)
    rest = given - given.mean(axis=1, keepdims=True) - given.mean(axis=0) + centre
    error = (rest**2).sum() / ((n - 1) * (k - 1))
    return (
        (rows - error) / (rows + (k - 1) * error + k / n * (columns - error)),
        (rows - error) / (rows + (columns - error) / n),
    )


def test_spearman() -> None:
    x, y = COMPLETE.mean(axis=1), COMPLETE[:, 0]
    expected = [spearmanr(x[drawn], y[drawn]).statistic for drawn in DRAWN]
    assert spearman_draws(x, y, WEIGHTS) == pytest.approx(np.array(expected), abs=1e-12)
