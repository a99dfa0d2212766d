"""How ratings meet those that are there already."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.ratings.blinding import Key
from stoic_assets.core.ratings.collection import ELSEWHERE, Merged, merge
from stoic_assets.core.ratings.rating_file import DimensionMarks, Rating, RatingMeta

START = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = {
    "i1": Key(origin="i1", rubric="r", agent_version="marcus@1", evaluation_id="e1", trial_id="t1", words=9),
    "i2": Key(origin="i2", rubric="r", agent_version="marcus@2", evaluation_id="e2", trial_id="t2", words=9),
    "r1": Key(
        origin="r1", rubric="r", agent_version="marcus@1", evaluation_id="e1", trial_id="t1", repeat_of="i1", words=9
    ),
    "p1": Key(origin="p1", rubric="r", practice=True, words=9),
    "a1": Key(origin="a1", rubric="r", attention={"helpfulness": 2}, words=9),
}


def rating(test_id: str = "i1", mark: int = 4, minute: int = 0, rater: str = "ann", **meta: Any) -> Rating:
    marks = DimensionMarks(
        appropriateness=mark, helpfulness=mark, stoic_authenticity=mark, emotional_intelligence=mark, actionability=None
    )
    return Rating.model_construct(
        test_id=test_id, rater_id=rater, timestamp=START + timedelta(minutes=minute), ratings=marks, overall="yes",
        comments="", meta=RatingMeta(**meta),
    )


def test_what_was_known_of_a_reply_stays_known_without_its_key() -> None:
    first = stored(merge([], [rating("i1"), rating("r1"), rating("x")], KEYS))
    again = merge(first, [rating("i1"), rating("r1"), rating("x"), rating("i1", mark=2, minute=1)], {})
    assert (again.new, again.changed, again.unchanged, again.superseded) == (0, 1, 2, 1)
    [row] = [row for row in stored(again) if row["test_id"] == "i1"]
    assert (row["agent_version"], row["trial_id"], row["helpfulness"]) == ("marcus@1", "t1", 2)


def test_what_tests_attention_stays_known_without_its_key() -> None:
    first = stored(merge([], [rating("a1")], KEYS))
    again = merge(first, [rating("a1"), rating("a1", mark=2, minute=1)], {})
    assert [(row["attention"], row["helpfulness"]) for row in stored(again)] == [(True, 2)]


def stored(merged: Merged) -> list[Any]:
    return [row for rows in merged.rows.values() for row in rows]


def counts(merged: Merged) -> tuple[int, int, int, int]:
    return merged.new, merged.changed, merged.unchanged, merged.superseded


def test_a_rating_stands_with_its_trial() -> None:
    merged = merge([], [rating("i1", seconds=7.5, order_index=2, page_id="p", edits=1), rating("i2")], KEYS)
    assert set(merged.rows) == {("marcus@1", "e1"), ("marcus@2", "e2")}
    [row] = merged.rows["marcus@1", "e1"]
    assert (row["trial_id"], row["helpfulness"], row["actionability"], row["seconds"]) == ("t1", 4, None, 7.5)
    assert (row["order_index"], row["page_id"], row["edits"], row["rated_at"]) == (2, "p", 1, START)
    assert counts(merged) == (2, 0, 0, 0)


def test_what_belongs_to_no_trial_stands_elsewhere() -> None:
    merged = merge([], [rating("p1"), rating("a1"), rating("eff_001", repeat_of="eff_000", practice=True)], KEYS)
    assert set(merged.rows) == {ELSEWHERE}
    flags = {row["test_id"]: (row["practice"], row["attention"], row["repeat_of"]) for row in stored(merged)}
    assert flags == {"p1": (True, False, None), "a1": (False, True, None), "eff_001": (True, False, "eff_000")}
    assert (merged.new, merged.unknown, merged.training) == (3, 1, 3)
    assert merge(stored(merged), [rating("p1"), rating("i1")], KEYS).training == 0, "it counts new ones only"


def test_what_is_known_of_an_item_goes_before_what_the_file_says() -> None:
    [row] = stored(merge([], [rating("r1", practice=True, repeat_of="i2")], KEYS))
    assert (row["practice"], row["repeat_of"], row["trial_id"]) == (False, "i1", "t1")


def test_the_same_again_changes_nothing() -> None:
    first = merge([], [rating("i1"), rating("i2")], KEYS)
    again = merge(stored(first), [rating("i2"), rating("i1")], KEYS)
    assert counts(again) == (0, 0, 2, 0)
    assert again.rows == {}
    assert counts(merge([], [rating("i1"), rating("i1")], KEYS)) == (1, 0, 0, 0)


def test_a_changed_rating_takes_the_place_of_the_former() -> None:
    first = merge([], [rating("i1", 4), rating("i1", 2, rater="bob")], KEYS)
    later = merge(stored(first), [rating("i1", 5, minute=1)], KEYS)
    assert counts(later) == (0, 1, 0, 0)
    assert [(row["rater_id"], row["helpfulness"]) for row in stored(later)] == [("ann", 5), ("bob", 2)]


def test_an_older_file_brings_nothing_back() -> None:
    now = merge([], [rating(mark=5, minute=9)], KEYS)
    older = merge(stored(now), [rating(mark=1, minute=2)], KEYS)
    assert (counts(older), older.rows) == ((0, 0, 0, 1), {})


def test_of_two_rows_that_an_interrupted_collection_left_the_newer_counts() -> None:
    rows = stored(merge([], [rating(mark=5, minute=9)], KEYS)) + stored(merge([], [rating(mark=1)], {}))
    between = merge(rows, [rating(mark=3, minute=5)], KEYS)
    assert (counts(between), between.rows) == ((0, 0, 0, 1), {})


def test_there_is_something_new_only_with_ratings_of_pages_of_our_own() -> None:
    assert not merge([], [rating("x")], KEYS).has_new
    assert not merge([], [rating("x"), rating("x", mark=2, minute=1)], KEYS).has_new, "both are unknown"
    first = merge([], [rating("i1")], KEYS)
    assert first.has_new
    assert not merge(stored(first), [rating("i1")], KEYS).has_new
    assert merge(stored(first), [rating("i1"), rating("x")], KEYS).has_new, "a page made elsewhere goes with it"


def test_what_was_saved_before_a_second_look_brings_nothing_back() -> None:
    looked_again, before = rating(seconds=60.0), rating(seconds=40.0)
    assert [row["seconds"] for row in stored(merge([], [looked_again, before], KEYS))] == [60.0]
    assert merge(stored(merge([], [looked_again], KEYS)), [before], KEYS).rows == {}


def test_of_two_ratings_at_once_the_newer_counts_and_the_other_is_told() -> None:
    merged = merge([], [rating(mark=5, minute=9), rating(mark=1, minute=2), rating(mark=1, minute=2)], KEYS)
    assert counts(merged) == (1, 0, 0, 2)
    assert [row["helpfulness"] for row in stored(merged)] == [5]


@pytest.mark.parametrize("marks", [(5, 1), (1, 5), (3, 5, 2)])
def test_of_ratings_with_one_time_the_last_counts_whatever_its_marks(marks: tuple[int, ...]) -> None:
    merged = merge([], [rating(mark=mark) for mark in marks], KEYS)
    assert [row["helpfulness"] for row in stored(merged)] == [marks[-1]]
    assert counts(merged) == (1, 0, 0, len(marks) - 1)
    assert counts(merge(stored(merged), [rating(mark=mark) for mark in marks], KEYS))[1] == 0


def test_each_page_keeps_its_ratings() -> None:
    first = merge([], [rating("x", 1, page_id="march"), rating("i1", 2, page_id="one")], KEYS)
    both = merge(stored(first), [rating("x", 5, minute=9, page_id="june"), rating("i1", 2, page_id="two")], KEYS)
    assert counts(both) == (2, 0, 0, 0)
    kept = [(row["test_id"], row["page_id"], row["helpfulness"]) for row in stored(both)]
    assert kept == [("i1", "one", 2), ("i1", "two", 2), ("x", "june", 5), ("x", "march", 1)]
    again = merge(stored(both), [rating("x", 1, page_id="march"), rating("i1", 2, page_id="one")], KEYS)
    assert (counts(again), again.rows) == ((0, 0, 2, 0), {})


def test_a_rating_moves_when_its_id_becomes_known() -> None:
    before = merge([], [rating("i1"), rating("x")], {})
    assert {row["test_id"] for row in before.rows[ELSEWHERE]} == {"i1", "x"}
    after = merge(stored(before), [rating("i1")], KEYS)
    assert counts(after) == (0, 1, 0, 0)
    assert {place: [row["test_id"] for row in rows] for place, rows in after.rows.items()} == {
        ELSEWHERE: ["x"], ("marcus@1", "e1"): ["i1"],
    }


several = st.lists(
    st.builds(
        rating, st.sampled_from([*KEYS, "x"]), st.integers(1, 5), st.integers(0, 3), st.sampled_from(["ann", "bob"]),
        page_id=st.sampled_from(["one", "two", None]),
    ),
    max_size=12,
)  # fmt: skip


def identity(rating: Rating) -> tuple[str, str, str | None]:
    return rating.rater_id, rating.test_id, rating.meta.page_id


@given(several, several)
def test_a_rater_an_id_and_a_page_have_one_row_whatever_comes(first: list[Rating], second: list[Rating]) -> None:
    table: dict[Any, list[Any]] = dict(merge([], first, KEYS).rows)
    merged = merge([row for rows in table.values() for row in rows], second, KEYS)
    table |= merged.rows
    rows = [row for rows in table.values() for row in rows]
    identities = [(row["rater_id"], row["test_id"], row["page_id"]) for row in rows]
    assert len(set(identities)) == len(identities)
    assert set(identities) == {identity(rating) for rating in first + second}
    for row, its in zip(rows, identities, strict=True):
        assert row["rated_at"] == max(r.timestamp for r in first + second if identity(r) == its)
    again = merge(rows, second, KEYS)
    assert (again.new, again.changed, again.rows) == (0, 0, {})


@given(several, st.randoms())
def test_where_none_are_equally_new_their_order_is_of_no_account(ratings: list[Rating], random: Random) -> None:
    ratings = list({(identity(each), each.timestamp): each for each in ratings}.values())
    assert merge([], random.sample(ratings, len(ratings)), KEYS) == merge([], ratings, KEYS)
