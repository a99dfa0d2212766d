"""What raters think of each version."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import rating_table
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.version_marks import version_marks

MakeRow = Callable[..., dict[str, Any]]
QUICK = Resampling(50)


def test_a_reply_counts_once_however_many_people_rated_it(make_row: MakeRow) -> None:
    rows = [
        make_row("a", "one", 1, overall="no"), make_row("b", "one", 3, overall="yes"),
        make_row("a", "two", 5, 5, 5, 5, None, overall="yes"), make_row("a", "else", 3),
        make_row("b", "two", 5, 5, 5, 5, None, overall="maybe"),
    ]  # fmt: skip
    known = {"one": RatedItem(agent_version="v@1"), "two": RatedItem(agent_version="v@1"), "else": RatedItem()}
    [found] = version_marks(rating_table(rows), known, QUICK)
    assert (found.agent_version, found.items) == ("v@1", 2)
    assert (found.dimensions["helpfulness"].estimate, found.dimensions["actionability"].estimate) == (3.5, 2.0)
    assert found.yes.estimate == 0.5
    assert found.yes.why == "2 items: an interval needs at least 10"


def test_each_version_has_its_own_items_and_interval(make_row: MakeRow) -> None:
    rows = [make_row("a", f"{version}-{n}", mark + n % 2) for version, mark in (("x", 1), ("y", 4)) for n in range(12)]
    known = {row["test_id"]: RatedItem(agent_version=row["test_id"][0]) for row in rows}
    low, high = version_marks(rating_table(rows), known, QUICK)
    for found, mean in ((low, 1.5), (high, 4.5)):
        estimate = found.dimensions["appropriateness"]
        assert estimate.estimate == pytest.approx(mean)
        assert estimate.low is not None
        assert estimate.high is not None
        assert mean - 0.5 < estimate.low < mean < estimate.high < mean + 0.5


def test_versions_come_in_the_order_of_their_numbers(make_row: MakeRow) -> None:
    versions = ["a@1.10.0", "a@1.9.0", "b@1", "a@1.2.0"]
    table = rating_table([make_row("a", version, 3) for version in versions])
    found = version_marks(table, {version: RatedItem(agent_version=version) for version in versions}, QUICK)
    assert [each.agent_version for each in found] == ["a@1.2.0", "a@1.9.0", "a@1.10.0", "b@1"]


def test_replies_without_a_mark_make_no_interval(make_row: MakeRow) -> None:
    rows = [make_row("a", f"item {n}", 3, 3, 3, 3, n % 5 + 1 if n < 9 else None) for n in range(12)]
    [found] = version_marks(rating_table(rows), {row["test_id"]: RatedItem(agent_version="v@1") for row in rows}, QUICK)
    assert found.dimensions["actionability"].why == "9 items: an interval needs at least 10"


def test_of_a_study_made_elsewhere_no_version_is_known(make_row: MakeRow) -> None:
    assert version_marks(rating_table([make_row("a", "one", 1)]), {}, QUICK) == ()
