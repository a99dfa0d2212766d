"""The array form: what counts, where it stands, and what cannot have come through collection."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import category_counts, rating_table, ratio
from stoic_assets.core.ratings.study import by_kind

MakeRow = Callable[..., dict[str, Any]]


def test_practice_repeats_and_attention_items_do_not_count(make_row: MakeRow) -> None:
    rows = [
        make_row("a", "one", 3), make_row("a", "two", 3, practice=True), make_row("a", "three", 3, repeat_of="one"),
        make_row("a", "four", 3),
    ]  # fmt: skip
    ratings = by_kind(rows, {"four": RatedItem(attention={"overall": "no"})})
    kinds = (ratings.counted, ratings.repeats, ratings.attention)
    assert [[row["test_id"] for row in kind] for kind in kinds] == [["one"], ["three"], ["four"]]


def test_marks_stand_at_their_item_and_rater_and_gaps_stay_gaps(make_row: MakeRow) -> None:
    rows = [make_row("b", "two", 1, 2, 3, 4, None, overall="no"), make_row("a", "one", 5, overall="yes")]
    table = rating_table(rows)
    assert (table.items, table.raters, table.ratings) == (("one", "two"), ("a", "b"), 2)
    np.testing.assert_equal(table.marks["appropriateness"], [[5, np.nan], [np.nan, 1]])
    np.testing.assert_equal(table.marks["actionability"], [[5, np.nan], [np.nan, np.nan]])
    np.testing.assert_equal(table.overall, [[3, np.nan], [np.nan, 1]])


def test_who_rates_an_item_twice_or_does_not_answer_is_counted_once(make_row: MakeRow) -> None:
    table = rating_table([make_row("a", "one", 1), make_row("a", "one", 4, overall=None)])
    assert (table.ratings, table.marks["helpfulness"].tolist()) == (1, [[4]])
    np.testing.assert_equal(table.overall, [[np.nan]])


@pytest.mark.parametrize("mark", [0, 6, 2.5])
def test_a_mark_off_the_scale_is_refused_by_name(make_row: MakeRow, mark: float) -> None:
    with pytest.raises(ConfigurationError, match="helpfulness of item one is not a whole number from 1 to 5"):
        rating_table([make_row("a", "one", 3, helpfulness=mark)])


def test_no_rows_make_an_empty_table() -> None:
    table = rating_table([])
    assert table.all_marks().shape == (5, 0, 0)
    assert table.ratings == 0


def test_what_is_divided_by_nothing_or_less_has_no_value() -> None:
    np.testing.assert_equal(ratio(np.ones(3), np.array([2.0, 0.0, -1.0])), [0.5, np.nan, np.nan])


def test_levels_are_counted_by_item() -> None:
    marks = np.array([[1, 1, np.nan], [5, 2, 5]])
    np.testing.assert_equal(category_counts(marks, 5), [[2, 0, 0, 0, 0], [0, 1, 0, 0, 2]])
