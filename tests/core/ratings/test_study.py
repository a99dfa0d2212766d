"""Which ratings are analysed together, and which never."""

from collections.abc import Callable
from typing import Any

import pytest
from analysed_ratings import analyse_rows

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.ratings.blinding import Key
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.study import NO_PAGE, by_newest_rubric, chosen_study

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]
EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"


def key(page: str, rubric: str, **more: Any) -> Key:
    return Key(origin="reply", page_id=page, rubric=rubric, words=5, **more)


def placed(rows: list[Row], page: str | None, rated_at: str) -> list[Row]:
    return [
        row | {"test_id": f"{page}-{row['test_id']}", "page_id": page, "rated_at": rated_at} for row in rows
    ]  # fmt: skip


def test_two_studies_are_never_one(make_study: MakeStudy) -> None:
    bad, good = make_study(40, 3, noise=3.0), make_study(40, 3, noise=0.3, seed=1)
    rows = placed(bad, "first", EARLY) + placed(good, "second", LATE) + placed(good, None, EARLY)
    newest = chosen_study(rows, {})
    assert (newest.page_id, newest.rubric, len(newest.rows)) == ("second", None, 120)
    assert newest.others == ("first", NO_PAGE)
    alone = analyse_rows(placed(good, "second", LATE), resampling=Resampling(50)).dimensions["helpfulness"].coefficients
    assert analyse_rows(newest.rows, resampling=Resampling(50)).dimensions["helpfulness"].coefficients == alone
    assert {row["page_id"] for row in chosen_study(rows, {}, "first").rows} == {"first"}
    with pytest.raises(ConfigurationError, match="no rating belongs to page third; known: elsewhere, first, second"):
        chosen_study(rows, {}, "third")


def test_the_page_of_the_last_rating_is_analysed_and_of_two_always_the_same(make_row: MakeRow) -> None:
    long, short = ("x", EARLY), ("y", "2026-01-15T00:00:00+00:00")
    rows = [make_row("ann", item, 3, page_id=f"page {item}", rated_at=moment) for item, moment in (long, short)]
    last = make_row("ben", "x", 3, page_id="page x", rated_at=LATE)
    at_once = make_row("ben", "y", 3, page_id="page y", rated_at=LATE)
    for given in ([*rows, last], [last, *rows[::-1]]):
        assert (chosen_study(given, {}).page_id, chosen_study(given, {}).others) == ("page x", ("page y",))
    assert {chosen_study(given, {}).page_id for given in ([*rows, last, at_once], [at_once, last, *rows])} == {"page y"}


def test_a_rating_that_names_no_page_goes_where_its_item_is_shown(make_row: MakeRow) -> None:
    keys = {"x": key("p1", "r1"), "again": key("p0", "r1", repeat_of="x")}
    rows = [make_row("ann", "x", 3), make_row("ann", "again", 3, repeat_of="x"), make_row("ann", "foreign", 3)]
    found = chosen_study(rows, keys, "p1")
    assert ([row["test_id"] for row in found.rows], found.rubric) == (["x", "again"], "r1")
    assert found.others == (NO_PAGE,)


def test_what_raters_gave_in_training_goes_with_them(make_row: MakeRow) -> None:
    rows = [
        make_row("ann", "x", 3, page_id="p1"), make_row("ann", "look", 2, attention=True, page_id="p2"),
        make_row("ben", "y", 3, page_id="p2"), make_row("ben", "try", 3, practice=True, page_id="p2"),
        make_row("ann", "theirs", 3, page_id="made elsewhere"),
        make_row("ann", "warm up", 3, practice=True, page_id="p3"),
    ]  # fmt: skip
    keys = {"x": key("p1", "r1"), "y": key("p2", "r1")}
    assert {row["test_id"] for row in chosen_study(rows, keys, "p1").rows} == {"x", "look", "warm up"}
    assert {row["test_id"] for row in chosen_study(rows, keys, "p2").rows} == {"y", "try"}
    assert {row["test_id"] for row in chosen_study(rows, keys, "made elsewhere").rows} == {"theirs"}
    assert chosen_study(rows, keys, "p1").others == ("p2", "made elsewhere"), "practice alone makes no study"


def test_a_rater_has_one_row_for_each_item_of_a_study(make_row: MakeRow) -> None:
    look = {"attention": True}
    rows = [
        make_row("ann", "x", 1, page_id="p1", rated_at=EARLY), make_row("ann", "x", 2, page_id="p2", rated_at=LATE),
        make_row("ann", "x", 3, rated_at=LATE), make_row("ann", "look", 4, page_id="p1", rated_at=EARLY, **look),
        make_row("ann", "look", 5, page_id="p2", rated_at=LATE, **look),
        make_row("ann", "listen", 1, page_id="p2", rated_at=EARLY, **look),
        make_row("ann", "listen", 2, page_id="p3", rated_at=LATE, **look),
        make_row("ann", "heed", 1, page_id="p2", rated_at=LATE, **look),
        make_row("ann", "heed", 2, page_id="p3", rated_at=LATE, **look),
    ]  # fmt: skip
    keys = {"x": key("p1", "r1"), "look": key("p3", "r1", attention={"overall": "no"})}
    for given in (rows, rows[::-1]):
        first, second = (chosen_study(given, keys, page).rows for page in ("p1", "p2"))
        marks = [{(row["test_id"], row["helpfulness"]) for row in of_page} for of_page in (first, second)]
        assert marks[0] == {("x", 3), ("look", 4), ("listen", 2), ("heed", 2)}
        assert marks[1] == {("x", 2), ("look", 5), ("listen", 1), ("heed", 1)}
        assert (len(first), len(second)) == (4, 4)


def test_an_attention_item_is_none_of_the_items_also_if_its_key_is_lost(make_row: MakeRow) -> None:
    rows = [make_row(rater, item, 3, page_id="new") for rater in ("ann", "ben") for item in ("x", "y")]
    rows += [make_row("ann", "look", 2, page_id="old", attention=True)]
    found = chosen_study(rows, {"x": key("new", "r1")})
    assert analyse_rows(found.rows, resampling=Resampling(10)).table.items == ("x", "y")


def test_practice_alone_is_a_study_without_ratings(make_row: MakeRow) -> None:
    found = chosen_study([make_row("ann", "try", 3, practice=True)], {})
    assert (found.page_id, len(found.rows), found.others) == (NO_PAGE, 1, ())


def test_marks_by_an_older_rubric_are_left_out(make_row: MakeRow) -> None:
    keys = {"x": key("p1", "old"), "y": key("p2", "new"), "z": key("p3", "new")}
    rows = [
        make_row("ann", "x", 3, trial_id="t1", rated_at=EARLY), make_row("ann", "y", 3, trial_id="t1", rated_at=LATE),
        make_row("ann", "z", 3, trial_id="t2", rated_at=EARLY), make_row("ann", "foreign", 3, rated_at="2026-03"),
    ]  # fmt: skip
    used, rubric = by_newest_rubric(rows, keys)
    assert ([row["test_id"] for row in used], rubric) == (["y", "z"], "new")
    assert by_newest_rubric([], keys) == ([], None)
    assert by_newest_rubric(rows[:1], {}) == (rows[:1], None)
