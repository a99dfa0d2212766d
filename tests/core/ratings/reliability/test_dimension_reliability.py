"""What the coefficients and the gate of a dimension are made from: shared items, pairs of raters, and those missing."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.ratings.rating_table import rating_table
from stoic_assets.core.ratings.reliability.dimension_reliability import DimensionReliability, dimension_reliability
from stoic_assets.core.ratings.reliability.estimate import Resampling, item_weights

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]


def reliability(rows: list[Row]) -> dict[str, DimensionReliability]:
    table = rating_table(rows)
    return dimension_reliability(table, item_weights(len(table.items), Resampling(100)))


def test_a_mark_that_nobody_can_be_compared_with_is_no_variation(make_row: MakeRow) -> None:
    rows = [make_row(f"rater-{r}", f"item-{i}", 4) for i in range(20) for r in range(2)]
    found = reliability([*rows, make_row("rater-0", "alone", 1)])["helpfulness"].coefficients
    for name in found.keys() - {"ac2"}:
        assert "every mark is the same" in (found[name].why or ""), name


def test_pairs_of_raters_without_a_kappa_do_not_lower_the_mean(make_row: MakeRow) -> None:
    rows = [make_row(rater, f"same {i}", 4) for i in range(10) for rater in "ab"]
    rows += [make_row(rater, f"other {i}", i % 5 + 1) for i in range(10) for rater in "cd"]
    found = reliability(rows)["helpfulness"].coefficients
    assert found["qwk_mean"].estimate == pytest.approx(1)


def test_items_that_nobody_could_mark_do_not_count_as_items_with_too_few_marks(make_study: MakeStudy) -> None:
    rows = [row | ({"actionability": None} if row["test_id"] >= "item-015" else {}) for row in make_study(40, 3, 0.2)]
    assert reliability(rows)["actionability"].gate.state == "pass"


def test_missing_raters_are_those_of_the_usual_item_among_those_that_can_be_marked(make_study: MakeStudy) -> None:
    half = [row | ({"actionability": None} if row["test_id"] >= "item-020" else {}) for row in make_study(40, 2, 0.2)]
    assert reliability(half)["actionability"].gate.more_raters == 1
    most = [row for row in make_study(40, 3, 0.2) if row["rater_id"] == "rater-0" or row["test_id"] < "item-021"]
    assert reliability(most)["helpfulness"].gate.state == "pass"


def test_an_interval_needs_items_that_two_raters_share(make_study: MakeStudy) -> None:
    rows = [row for row in make_study(12, 2) if row["rater_id"] == "rater-0" or row["test_id"] < "item-009"]
    alpha = reliability(rows)["helpfulness"].coefficients["alpha_ordinal"]
    assert (alpha.low, alpha.why) == (None, "9 items: an interval needs at least 10")
