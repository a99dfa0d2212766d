"""Estimates: an interval where there is one to be had, a reason where there is not."""

import numpy as np
import pytest

from stoic_assets.core.ratings.reliability.estimate import Estimate, Resampling, item_weights, with_interval


def test_the_interval_holds_the_middle_of_the_draws() -> None:
    found = with_interval(0.5, np.linspace(0, 1, 1001), 80, "unused")
    assert (found.low, found.high) == pytest.approx((0.025, 0.975))
    assert found.why is None


def test_no_figure_has_the_reason_it_was_given() -> None:
    assert with_interval(np.nan, np.zeros(10), 80, "nobody rated") == Estimate(None, None, None, "nobody rated")


@pytest.mark.parametrize(
    ("draws", "items", "why"),
    [(np.ones(100), 9, "at least 10"), (np.r_[np.ones(94), np.full(6, np.nan)], 80, "6 % of the resamples")],
)
def test_no_interval_says_why(draws: np.ndarray, items: int, why: str) -> None:
    found = with_interval(0.5, draws, items, "unused")
    assert (found.estimate, found.low, found.high) == (0.5, None, None)
    assert why in (found.why or "")


@pytest.mark.parametrize(("value", "given"), [(0.3, True), (0.1 + 0.2, True), (0.31, False)])
def test_an_interval_holds_its_own_figure_or_there_is_none(value: float, given: bool) -> None:
    found = with_interval(value, np.full(100, 0.3), 10, "")
    assert found.estimate == value
    assert (found.low is not None) is given
    assert (found.why is None) is given


def test_a_few_draws_without_a_figure_do_no_harm() -> None:
    assert with_interval(0.5, np.r_[np.full(95, 0.5), np.full(5, np.nan)], 80, "unused").low == 0.5


def test_every_draw_has_as_many_items_as_the_study_and_the_seed_fixes_them() -> None:
    weights = item_weights(30, Resampling(50, 4))
    assert (weights.sum(axis=1) == 30).all()
    assert (weights == item_weights(30, Resampling(50, 4))).all()
    assert (weights != item_weights(30, Resampling(50, 5))).any()
    assert item_weights(0, Resampling(50, 4)).shape == (50, 0)
