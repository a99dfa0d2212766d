"""Raters far from everyone else's marks."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stoic_assets.core.ratings.checks.outliers import outlier_scores, outliers
from stoic_assets.core.ratings.rating_table import rating_table

Rows = list[dict[str, Any]]


def flagged(rows: Rows) -> list[str]:
    return [flag.rater_id for flag in outliers(rating_table(rows))]


def test_z_is_the_distance_from_the_others_in_their_own_units() -> None:
    marks = np.array([[1, 4, 5], [1, 5, 4], [1, 2, 3.0]])
    # The other two differ by 1 on every item: sd √0.5; their mean is known to √(1 + 1/2) of that.
    expected = (1 - np.array([4.5, 4.5, 2.5])) / (np.sqrt(0.5) * np.sqrt(1.5))
    assert outlier_scores(marks)[:, 0] == pytest.approx(expected)


def test_items_that_fewer_than_two_others_rated_are_not_judged() -> None:
    assert np.isnan(outlier_scores(np.array([[1, 5, np.nan], [2, np.nan, np.nan]]))).all()


def test_others_who_agree_perfectly_leave_room_for_rounding() -> None:
    marks = np.full((20, 4), 3.0)
    marks[:, 0] = 4
    assert (np.abs(outlier_scores(marks)[:, 0]) < 3.2).all()
    assert np.isfinite(outlier_scores(marks)).all()


def test_honest_raters_are_left_alone(make_study: Callable[..., Rows]) -> None:
    assert flagged(make_study(80, 4, noise=0.8)) == []


def test_who_turns_the_scale_round_is_flagged_and_nobody_else(make_study: Callable[..., Rows]) -> None:
    rows = make_study(60, 4, noise=0.5)
    for row in rows:
        if row["rater_id"] == "rater-1":
            row.update({name: 6 - row[name] for name in ("appropriateness", "helpfulness", "actionability")})
    assert flagged(rows) == ["rater-1"]
    assert re.search(r"\(z [+−]\d+\.\d\d\)$", next(outliers(rating_table(rows))).detail)


def test_a_slip_or_two_is_no_outlier(make_study: Callable[..., Rows]) -> None:
    rows = make_study(40, 4, noise=0.3)
    rows[0]["helpfulness"] = 6 - rows[0]["helpfulness"]
    assert flagged(rows) == []


@pytest.mark.parametrize(("items", "far", "odd"), [(8, 2, False), (12, 3, True), (20, 4, False), (20, 5, True)])
def test_three_far_marks_are_enough_if_they_are_a_twentieth(
    make_row: Callable[..., dict[str, Any]], items: int, far: int, odd: bool
) -> None:
    """Each item has five marks; the others agree, so that 5 is far from 3."""
    rows = [make_row(rater, f"item-{item:02}", 3) for rater in "abcd" for item in range(items)]
    for row in rows[:far]:
        row["helpfulness"] = 5
    assert flagged(rows) == ["a"] * odd
