"""Straight-lining, always high, and overall answers against the marks."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.ratings.checks.mark_patterns import always_high, contradictory_overall, straight_lining
from stoic_assets.core.ratings.rating_table import RatingTable, rating_table

Row = dict[str, Any]
MakeRow = Callable[..., Row]


def of_marks(make_row: MakeRow, *marks: int) -> RatingTable:
    """One rater, an item for every mark, which holds for all dimensions."""
    return rating_table([make_row("rater", f"item-{n:02}", mark) for n, mark in enumerate(marks)])


@pytest.mark.parametrize(
    ("marks", "flagged"),
    [
        ((3,) * 10, True),
        ((3,) * 8 + (1, 5), True),  # 80 % the same
        ((3,) * 7 + (1, 5, 1), False),
        ((3, 3, 3, 3, 3, 3, 3, 4, 4, 4), False),  # sd 0.46
        ((1, 2, 3, 4, 5), False),
        ((3, 3), True),  # ten marks
    ],
)
def test_straight_lining(make_row: MakeRow, marks: tuple[int, ...], flagged: bool) -> None:
    assert bool(list(straight_lining(of_marks(make_row, *marks)))) == flagged


def test_nine_marks_are_no_pattern(make_row: MakeRow) -> None:
    table = rating_table([make_row("rater", "full", 5), make_row("rater", "in part", 5, 5, 5, 5, None)])
    assert [*straight_lining(table), *always_high(table)] == []


def test_a_small_spread_is_straight_lining_though_no_mark_makes_80_percent(make_row: MakeRow) -> None:
    rows = [make_row("rater", f"item-{n}", 4, 4, 4, 4, 3) for n in range(20)]
    rows += [make_row("rater", f"more-{n}", 4) for n in range(1)]
    [flag] = straight_lining(rating_table(rows))
    assert (flag.rater_id, flag.check) == ("rater", "straight_lining")
    assert "of 105 marks are 4" in flag.detail


@pytest.mark.parametrize(
    ("marks", "flagged"),
    [((5, 5, 5, 5, 3), True), ((5, 5, 5, 5, 5, 5, 5, 1, 1, 1), True), ((5, 4, 5, 4, 5, 4), False), ((1, 2, 3), False)],
)
def test_always_high(make_row: MakeRow, marks: tuple[int, ...], flagged: bool) -> None:
    assert bool(list(always_high(of_marks(make_row, *marks)))) == flagged


@pytest.mark.parametrize(
    ("mark", "overall", "flagged"),
    [(2, "yes", True), (3, "yes", False), (4, "no", True), (3, "no", False), (1, "maybe", False), (2, "no", False)],
)
def test_contradictory_overall(make_row: MakeRow, mark: int, overall: str, flagged: bool) -> None:
    table = rating_table([make_row("rater", "item", mark, overall=overall)])
    assert bool(list(contradictory_overall(table))) == flagged


@pytest.mark.parametrize(("marks", "overall"), [((2, 3), "yes"), ((3, 4), "no")])
def test_at_the_line_an_answer_contradicts_nothing(make_row: MakeRow, marks: tuple[int, int], overall: str) -> None:
    table = rating_table([make_row("rater", "item", *marks, None, None, None, overall=overall)])
    assert list(contradictory_overall(table)) == []


def test_a_contradiction_names_an_example(make_row: MakeRow) -> None:
    rows = [make_row("a", "good", 5, overall="no"), make_row("a", "fine", 4, overall="yes"), make_row("b", "good", 5)]
    [flag] = contradictory_overall(rating_table(rows))
    assert (flag.rater_id, flag.detail) == ("a", "1 of 2 answers, for example no to good with a mean of 5.0")


def test_marks_that_were_not_given_do_not_count(make_row: MakeRow) -> None:
    table = rating_table([make_row("rater", "item", 2, 2, None, None, None, overall="yes")])
    assert len(list(contradictory_overall(table))) == 1
