"""Spearman's correlation with its interval."""

import numpy as np
import pytest

from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.reliability.rank_correlation import spearman

X = np.arange(30.0)


def test_order_alone_counts() -> None:
    assert spearman(X, np.exp(X / 3), Resampling(100)).estimate == pytest.approx(1)
    assert spearman(X, -(X**3), Resampling(100)).estimate == pytest.approx(-1)


def test_items_without_one_of_the_two_are_left_out() -> None:
    y = np.where(X < 10, np.nan, X)
    assert spearman(X, y, Resampling(100)).estimate == pytest.approx(1)
    two = spearman(X[:4], np.array([np.nan, np.nan, 1, 2]), Resampling(100))
    assert two.why == "2 items with both: a correlation needs at least 3"


def test_what_never_varies_has_no_correlation_and_says_so() -> None:
    assert spearman(X, np.ones(30), Resampling(100)).why == "one of the two never varies"


def test_the_interval_is_that_of_the_draws() -> None:
    noise = X + np.random.default_rng(1).normal(0, 10, 30)
    found = spearman(X, noise, Resampling(500))
    assert found.low is not None
    assert found.high is not None
    assert found.estimate is not None
    assert -1 <= found.low < found.estimate < found.high <= 1
