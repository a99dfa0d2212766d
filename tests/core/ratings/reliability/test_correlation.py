"""Intraclass and rank correlations."""

from statistics import fmean

import numpy as np
import pytest

from stoic_assets.core.ratings.reliability.correlation import icc_mean, icc_single, spearman
from stoic_assets.core.ratings.reliability.estimate import Resampling, as_observed, item_weights

ITEMS, RATERS = 1500, 12
BETWEEN, RATER, ERROR = 1.0, 0.25, 0.75


def drawn() -> np.ndarray:
    random = np.random.default_rng(5)
    severity = random.normal(0, 1, (1, RATERS))
    severity = (severity - severity.mean()) / severity.std(ddof=1) * np.sqrt(RATER)
    between, error = random.normal(0, np.sqrt(BETWEEN), (ITEMS, 1)), random.normal(0, np.sqrt(ERROR), (ITEMS, RATERS))
    return between + severity + error


@pytest.mark.parametrize("missing", [0.0, 0.5, 0.8])
def test_components_are_recovered_whatever_is_missing(missing: float) -> None:
    marks = drawn()
    marks[np.random.default_rng(6).random(marks.shape) < missing] = np.nan
    assert icc_single(marks, as_observed(ITEMS))[0] == pytest.approx(BETWEEN / (BETWEEN + RATER + ERROR), abs=0.03)


def test_the_mean_of_few_marks_is_less_reliable_than_the_mean_of_all() -> None:
    complete = drawn()
    sparse = np.where(np.arange(RATERS) < 3, complete, np.nan)
    once = as_observed(ITEMS)
    assert icc_mean(sparse, once)[0] < icc_mean(complete, once)[0]
    assert icc_mean(complete, once)[0] == pytest.approx(BETWEEN / (BETWEEN + (RATER + ERROR) / RATERS), abs=0.01)


def test_where_items_have_unequal_numbers_of_marks_their_harmonic_mean_counts() -> None:
    few, many = 2, RATERS
    given = np.where(np.arange(ITEMS)[:, None] % 2, many, few)
    uneven = np.where(np.arange(RATERS) < given, drawn(), np.nan)
    marks_of_an_item = 2 / (1 / few + 1 / many)
    expected = BETWEEN / (BETWEEN + (RATER + ERROR) / marks_of_an_item)
    assert icc_mean(uneven, as_observed(ITEMS))[0] == pytest.approx(expected, abs=0.02)


def test_raters_who_never_meet_on_an_item_cannot_be_told_from_items() -> None:
    marks = np.full((4, 4), np.nan)
    np.fill_diagonal(marks, [1, 2, 3, 4])
    assert np.isnan(icc_single(marks, as_observed(4))[0])


@pytest.mark.parametrize("items", [7, 53, 80])
def test_items_that_do_not_differ_have_none_of_the_variance_in_any_draw(items: int) -> None:
    marks = np.tile([5.0, 5.0, 4.0], (items, 1))
    draws = np.concatenate([as_observed(items), item_weights(items, Resampling(50, 1))])
    assert set(icc_single(marks, draws)) | set(icc_mean(marks, draws)) == {0.0}


def test_perfect_agreement_is_one() -> None:
    marks = np.repeat([[1.0], [2.0], [4.0], [5.0], [3.0]], 3, axis=1)
    once = as_observed(5)
    assert (icc_single(marks, once)[0], icc_mean(marks, once)[0]) == pytest.approx((1, 1))


X = np.arange(30.0)


def test_order_alone_counts() -> None:
    assert spearman(X, np.exp(X / 3), Resampling(100)).estimate == pytest.approx(1)
    assert spearman(X, -(X**3), Resampling(100)).estimate == pytest.approx(-1)


def test_items_without_one_of_the_two_are_left_out() -> None:
    y = np.where(X < 10, np.nan, X)
    assert spearman(X, y, Resampling(100)).estimate == pytest.approx(1)
    two = spearman(X[:4], np.array([np.nan, np.nan, 1, 2]), Resampling(100))
    assert two.why == "2 items with both: a correlation needs at least 3"
    assert spearman(X[:3], X[:3], Resampling(100)).estimate == pytest.approx(1)


def test_what_never_varies_has_no_correlation_and_says_so() -> None:
    assert spearman(X, np.ones(30), Resampling(100)).why == "one of the two never varies"


def test_equal_means_have_one_rank_whatever_the_samples_that_they_are_of() -> None:
    alike = (fmean((0.2, 0.2, 0.2)), fmean((0.15, 0.2, 0.25)))
    assert alike[0] != alike[1]
    means = np.where(X < 15, *alike)
    assert spearman(means, X, Resampling(100)).why == "one of the two never varies"


def test_the_interval_is_that_of_the_draws() -> None:
    noise = X + np.random.default_rng(1).normal(0, 10, 30)
    found = spearman(X, noise, Resampling(500))
    assert found.low is not None
    assert found.high is not None
    assert found.estimate is not None
    assert -1 <= found.low < found.estimate < found.high <= 1
