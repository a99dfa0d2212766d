"""Severity and leave-one-rater-out."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.ratings.rating_table import rating_table
from stoic_assets.core.ratings.reliability.estimate import Resampling, item_weights
from stoic_assets.core.ratings.reliability.rater_influence import alpha_without, leniency

Rows = list[dict[str, Any]]


def test_leniency_is_the_distance_from_the_others_on_the_same_items(make_row: Callable[..., dict[str, Any]]) -> None:
    marks = {"mild": 5, "mid": 4, "hard": 2}
    rows = [make_row(rater, f"item-{n:02}", mark) for n in range(20) for rater, mark in marks.items()]
    rows += [make_row("alone", "item-99", 1)]
    table = rating_table(rows)
    found = leniency(table, item_weights(len(table.items), Resampling(200, 1)))
    assert found["mild"].estimate == pytest.approx(2)
    assert found["mid"].estimate == pytest.approx(0.5)
    assert found["hard"].estimate == pytest.approx(-2.5)
    assert (found["hard"].low, found["hard"].high) == pytest.approx((-2.5, -2.5))
    assert found["alone"].why == "rated no item that others rated"


def test_who_rated_few_items_has_no_interval(make_row: Callable[..., dict[str, Any]]) -> None:
    rows = [make_row("often", f"item-{n:02}", 3) for n in range(20)]
    rows += [make_row("rarely", f"item-{n:02}", 4) for n in range(3)]
    found = leniency(rating_table(rows), item_weights(20, Resampling(50, 1)))
    assert (found["rarely"].estimate, found["rarely"].why) == (1.0, "3 items: an interval needs at least 10")


def test_without_the_rater_who_rates_at_random_alpha_rises(make_study: Callable[..., Rows]) -> None:
    rows = make_study(60, 4, noise=0.4)
    for place, row in enumerate(rows):
        if row["rater_id"] == "rater-2":
            row["helpfulness"] = place * 7 % 5 + 1
    without = alpha_without(rating_table(rows))
    alphas = {rater: of_rater["helpfulness"] or 0 for rater, of_rater in without.items()}
    assert max(alphas, key=alphas.__getitem__) == "rater-2"
    assert alphas["rater-2"] > 0.7 > alphas["rater-1"]


def test_of_two_raters_none_can_be_left_out(make_study: Callable[..., Rows]) -> None:
    without = alpha_without(rating_table(make_study(20, 2)))
    assert all(alpha is None for of_rater in without.values() for alpha in of_rater.values())
