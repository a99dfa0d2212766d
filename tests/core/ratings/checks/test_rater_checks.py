"""Pace, repeats, attention, and all checks together."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.ratings.checks.attention import missed_attention
from stoic_assets.core.ratings.checks.pace import too_fast
from stoic_assets.core.ratings.checks.rater_checks import rater_checks
from stoic_assets.core.ratings.checks.repeats import inconsistent_repeats
from stoic_assets.core.ratings.counted_ratings import counted
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import rating_table

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]

HUNDRED_WORDS = RatedItem(words=100)
"""15 seconds at 400 words a minute."""


@pytest.mark.parametrize(("hasty", "flagged"), [(0, False), (1, False), (2, True), (10, True)])
def test_too_fast_for_the_words(make_row: MakeRow, hasty: int, flagged: bool) -> None:
    rows = [make_row("a", f"item-{n}", 3, seconds=14.9 if n < hasty else 15.0) for n in range(10)]
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
    assert [flag.rater_id for flag in inconsistent_repeats(rows, repeats)] == (["a"] if flagged else [])


def test_a_repeat_without_its_first_time_says_nothing(make_row: MakeRow) -> None:
    repeats = [make_row("a", "again", 5, repeat_of="one"), make_row("a", "other", None, repeat_of="two")]
    assert list(inconsistent_repeats([make_row("a", "two", 1), make_row("b", "one", 1)], repeats)) == []


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
    rows += [make_row("rater-0", "practice", 1, practice=True, seconds=0.0)]
    items = {row["test_id"]: HUNDRED_WORDS for row in rows} | {"look": RatedItem(words=5, attention={"helpfulness": 1})}
    found = rater_checks(rows, rating_table(counted(rows, {"look"})), items)
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
    assert rater_checks(rows, rating_table(rows), {}).not_made == {
        "outlier": "it needs three raters",
        "too_fast": "no rating has both a time and a known text",
        "inconsistent_repeats": "no item was shown twice",
        "missed_attention": "no attention item was shown",
    }
