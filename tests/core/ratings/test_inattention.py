"""What is said of raters who seem not to have read what they rated."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stoic_assets.core.ratings.inattention import inattention, inattention_in
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rater_checks import RaterFlag

THEN = "talk to them before you ask more raters or go by these figures."


@pytest.mark.parametrize(
    ("flagged", "said"),
    [
        ((), ""),
        ((("a", "outlier"), ("b", "straight_lining")), ""),
        ((("a", "missed_attention"), ("b", "missed_attention")), f"2 of 2 raters missed attention items: {THEN}"),
        ((("a", "too_fast"), ("a", "outlier")), f"1 of 2 raters rated faster than one can read: {THEN}"),
        (
            (("a", "too_fast"), ("a", "missed_attention")),
            f"1 of 2 raters missed attention items or rated faster than one can read: {THEN}",
        ),
    ],
)
def test_how_many_were_inattentive_and_what_to_do(flagged: Sequence[tuple[str, str]], said: str) -> None:
    assert inattention([RaterFlag(rater, check, "seen") for rater, check in flagged], 2) == said


def test_who_rated_nothing_but_attention_items_is_one_more() -> None:
    flags = [RaterFlag(rater, "missed_attention", "seen") for rater in ("a", "b")]
    assert inattention(flags, 1).startswith("2 of 2 raters missed attention items")


@pytest.mark.parametrize(
    ("answer", "seconds", "said"),
    [
        (2, 15.0, ""),
        (3, 15.0, f"1 of 2 raters missed attention items: {THEN}"),
        (2, 14.9, f"1 of 2 raters rated faster than one can read: {THEN}"),
    ],
)
def test_of_ratings_themselves_it_is_found(
    make_row: Callable[..., dict[str, Any]], answer: int, seconds: float, said: str
) -> None:
    items = {"one": RatedItem(words=100), "look": RatedItem(attention={"helpfulness": 2})}
    rows = [
        make_row("a", "one", 3, seconds=seconds), make_row("b", "one", 4, seconds=60.0),
        make_row("a", "look", answer), make_row("b", "look", 2),
    ]  # fmt: skip
    assert inattention_in(rows, items) == said
