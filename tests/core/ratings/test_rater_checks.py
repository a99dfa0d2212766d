"""The checks of raters: each alone, and all together."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rater_checks import (
    RaterChecks,
    RaterFlag,
    always_high,
    contradictory_overall,
    inconsistent_repeats,
    missed_attention,
    outlier_scores,
    outliers,
    rater_checks,
    straight_lining,
    too_fast,
)
from stoic_assets.core.ratings.rating_table import RatingTable, rating_table
from stoic_assets.core.ratings.study import RatingsByKind, by_kind

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]

HUNDRED_WORDS = RatedItem(words=100)
"""15 seconds at 400 words a minute."""


def checked(rows: list[Row], items: Mapping[str, RatedItem] | None = None) -> RaterChecks:
    ratings = by_kind(rows, items or {})
    return rater_checks(ratings, rating_table(ratings.counted), items or {})


def on_repeats(rows: list[Row], repeats: list[Row]) -> Iterator[RaterFlag]:
    return inconsistent_repeats(RatingsByKind(rows, repeats, []).repeat_changes)


@pytest.mark.parametrize(("hasty", "flagged"), [(0, False), (1, False), (2, True), (10, True)])
def test_too_fast_for_the_words(make_row: MakeRow, hasty: int, flagged: bool) -> None:
    seconds = [0.0, *[14.9] * 9][:hasty] + [15.0] * (10 - hasty)
    rows = [make_row("a", f"item-{n}", 3, seconds=taken) for n, taken in enumerate(seconds)]
    found = list(too_fast(rows, {row["test_id"]: HUNDRED_WORDS for row in rows}))
    assert bool(found) == flagged
    if flagged:
        assert found[0].detail == f"{hasty} of 10 items rated faster than 400 words a minute"


def test_unknown_times_and_unknown_texts_are_not_judged(make_row: MakeRow) -> None:
    rows = [make_row("a", "timeless", 3), *(make_row("a", item, 3, seconds=0.1) for item in ("unknown", "empty"))]
    assert list(too_fast(rows, {"timeless": HUNDRED_WORDS, "empty": RatedItem()})) == []


@pytest.mark.parametrize(("second", "flagged"), [(3, False), (4, False), (5, True), (1, True)])
def test_inconsistent_on_repeats(make_row: MakeRow, second: int, flagged: bool) -> None:
    rows = [make_row("a", "one", 3), make_row("b", "one", second)]
    repeats = [make_row("a", "again", second, repeat_of="one")]
    assert [flag.rater_id for flag in on_repeats(rows, repeats)] == (["a"] if flagged else [])


def test_a_change_just_above_a_mark_is_seen_to_be_more(make_row: MakeRow) -> None:
    rows = [make_row("a", f"item-{n}", 3) for n in range(60)]
    repeats = [make_row("a", f"again-{n}", 4, repeat_of=f"item-{n}") for n in range(60)]
    repeats[0] = make_row("a", "again-0", 5, 4, 4, 4, 4, repeat_of="item-0")
    [flag] = on_repeats(rows, repeats)
    assert flag.detail == "marks on repeated items changed by 1.003 on average, over 300 marks"


def test_a_repeat_without_its_first_time_says_nothing(make_row: MakeRow) -> None:
    repeats = [make_row("a", "again", 5, repeat_of="one"), make_row("a", "other", None, repeat_of="two")]
    assert list(on_repeats([make_row("a", "two", 1), make_row("b", "one", 1)], repeats)) == []


def test_a_repeat_in_practice_is_none(make_row: MakeRow) -> None:
    again = make_row("a", "again", 5, repeat_of="one")
    assert by_kind([make_row("a", "one", 1), again, {**again, "practice": True}], {}).repeats == [again]


def test_missed_attention(make_row: MakeRow) -> None:
    asked: dict[str, dict[str, int | str]] = {"look": {"helpfulness": 2, "overall": "no"}, "read": {"overall": "yes"}}
    items = {item: RatedItem(attention=answers) for item, answers in asked.items()}
    rows = [
        make_row("careful", "look", 2, overall="no"), make_row("careful", "read", 5, overall="yes"),
        make_row("careless", "look", 2, overall="maybe"), make_row("careless", "read", 1, overall="yes"),
        make_row("blank", "look", None, overall="no"),
    ]  # fmt: skip
    assert [(flag.rater_id, flag.detail) for flag in missed_attention(rows, items)] == [
        ("blank", "1 of 1 attention items not answered as asked"),
        ("careless", "1 of 2 attention items not answered as asked"),
    ]


def test_all_checks_together(make_study: MakeStudy, make_row: MakeRow) -> None:
    rows = make_study(30, 4)
    for row in rows:
        row["seconds"] = 60.0
        if row["rater_id"] == "rater-3":
            row |= {"seconds": 1.0, **dict.fromkeys(("appropriateness", "helpfulness", "stoic_authenticity"), 5)}
            row |= {"emotional_intelligence": 5, "actionability": 5, "overall": "no"}
    rows += [make_row("rater-3", "again", 1, repeat_of="item-000"), make_row("rater-3", "look", 5)]
    rows += [make_row("rater-0", f"practice {n}", 1, practice=True, seconds=0.0) for n in range(10)]
    items = {row["test_id"]: HUNDRED_WORDS for row in rows} | {"look": RatedItem(words=5, attention={"helpfulness": 1})}
    found = checked(rows, items)
    assert [(flag.rater_id, flag.check) for flag in found.flags] == [
        ("rater-3", check)
        for check in (
            "always_high", "contradictory_overall", "inconsistent_repeats", "missed_attention", "outlier",
            "straight_lining", "too_fast",
        )
    ]  # fmt: skip
    assert found.not_made == {}


def test_a_check_that_cannot_be_made_says_why(make_study: MakeStudy) -> None:
    rows = make_study(20, 2)
    assert checked(rows).not_made == {
        "outlier": "no item has marks of three raters",
        "too_fast": "no rating has both a time and a known text",
        "inconsistent_repeats": "no rater marked an item twice",
        "missed_attention": "no attention item was shown",
    }
    wordless = {row["test_id"]: RatedItem() for row in rows}
    not_made = checked([row | {"seconds": 5.0} for row in rows], wordless).not_made
    assert not_made["too_fast"] == "no rating has both a time and a known text"


def test_a_check_that_found_nobody_to_compare_was_not_made(make_row: MakeRow) -> None:
    rows = [make_row(f"r{(n + k) % 3}", f"item-{n}", 1 + n % 5) for n in range(15) for k in range(2)]
    rows += [make_row("r0", "again", 3, repeat_of="nobody-rated-this")]
    not_made = checked(rows).not_made
    assert not_made["outlier"] == "no item has marks of three raters"
    assert not_made["inconsistent_repeats"] == "no rater marked an item twice"


@pytest.mark.parametrize(("items", "why"), [(1, "no rater gave 10 marks"), (2, None)])
def test_too_few_marks_for_a_pattern_are_not_taken_for_none(make_row: MakeRow, items: int, why: str | None) -> None:
    rows = [make_row("a", f"item-{n}", mark) for n, mark in enumerate((1, 5)[:items])]
    not_made = checked(rows).not_made
    assert not_made.get("straight_lining") == not_made.get("always_high") == why


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
    assert flag.detail.startswith("81 % of 105 marks are 4, ")


@pytest.mark.parametrize(
    ("marks", "flagged"),
    [((5, 5, 5, 5, 3), True), ((5, 5, 5, 5, 5, 5, 5, 1, 1, 1), True), ((5, 4, 5, 4, 5, 4), False), ((1, 2, 3), False)],
)
def test_always_high(make_row: MakeRow, marks: tuple[int, ...], flagged: bool) -> None:
    assert bool(list(always_high(of_marks(make_row, *marks)))) == flagged


def test_a_mean_just_above_the_highest_is_seen_to_be_above(make_row: MakeRow) -> None:
    rows = [make_row("rater", f"item-{n}", 4 + n % 2) for n in range(50)]
    [flag] = always_high(rating_table([*rows, make_row("rater", "last", 5, None, None, None, None)]))
    assert flag.detail == "mean 4.502 over 251 marks, 50 % of them 5"


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
    rows += [make_row("b", "other", 5)]
    [flag] = contradictory_overall(rating_table(rows))
    assert (flag.rater_id, flag.detail) == ("a", "1 of 2 answers, for example no to good with a mean of 5.0")


def test_marks_that_were_not_given_do_not_count(make_row: MakeRow) -> None:
    table = rating_table([make_row("rater", "item", 2, 2, None, None, None, overall="yes")])
    assert len(list(contradictory_overall(table))) == 1


Rows = list[dict[str, Any]]


def outlying(rows: Rows) -> list[str]:
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
    assert outlying(make_study(80, 4, noise=0.8)) == []


def test_who_turns_the_scale_round_is_flagged_and_nobody_else(make_study: Callable[..., Rows]) -> None:
    rows = make_study(60, 4, noise=0.5)
    for row in rows:
        if row["rater_id"] == "rater-1":
            row.update({name: 6 - row[name] for name in ("appropriateness", "helpfulness", "actionability")})
    assert outlying(rows) == ["rater-1"]
    assert re.search(r"\(z [+−]\d+\.\d\d\)$", next(outliers(rating_table(rows))).detail)


def test_a_slip_or_two_is_no_outlier(make_study: Callable[..., Rows]) -> None:
    rows = make_study(40, 4, noise=0.3)
    rows[0]["helpfulness"] = 6 - rows[0]["helpfulness"]
    assert outlying(rows) == []


@pytest.mark.parametrize(("items", "far", "odd"), [(8, 2, False), (12, 3, True), (20, 4, False), (20, 5, True)])
def test_three_far_marks_are_enough_if_they_are_a_twentieth(
    make_row: Callable[..., dict[str, Any]], items: int, far: int, odd: bool
) -> None:
    """Each item has five marks; the others agree, so that 5 is far from 3."""
    rows = [make_row(rater, f"item-{item:02}", 3) for rater in "abcd" for item in range(items)]
    for mark in (1, 5):
        for row in rows[:far]:
            row["helpfulness"] = mark
        flags = list(outliers(rating_table(rows)))
        assert [flag.rater_id for flag in flags] == ["a"] * odd
        assert all(f"{far} of {5 * items} marks" in flag.detail for flag in flags)
        assert all(f"for example helpfulness {mark} for item-00 (z " in flag.detail for flag in flags)
