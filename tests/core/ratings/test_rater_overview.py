"""What each rater did, in figures."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rater_overview import rater_overviews
from stoic_assets.core.ratings.rating_table import rating_table
from stoic_assets.core.ratings.study import by_kind

MakeRow = Callable[..., dict[str, Any]]


def test_each_rater_is_described_by_what_they_did(make_row: MakeRow) -> None:
    rows = [
        make_row("ann", "one", 2, 2, 2, 2, None, seconds=0.0), make_row("ann", "two", 4, seconds=30.0),
        make_row("ann", "three", 4, seconds=90.0),
        make_row("ann", "again", 3, 3, 3, 4, 4, repeat_of="two", seconds=1.0),
        make_row("ann", "heed", 5, seconds=2.0), make_row("ann", "heed too", 1, seconds=2.0),
        make_row("ann", "practice", 1, practice=True), make_row("bob", "one", None),
    ]  # fmt: skip
    asked = RatedItem(attention={"helpfulness": 5})
    items = {"heed": asked, "heed too": asked}
    ratings = by_kind(rows, items)
    ann, bob = rater_overviews(ratings, rating_table(ratings.counted), items)
    assert asdict(ann) == {
        "rater_id": "ann", "rated": 3, "mean": 48 / 14, "sd": (40 / 49) ** 0.5, "not_applicable": 1 / 3,
        "median_seconds": 30.0, "attention_shown": 2, "attention_heeded": 1, "repeat_change": 0.6,
    }  # fmt: skip
    assert asdict(bob) == {
        "rater_id": "bob", "rated": 1, "mean": None, "sd": None, "not_applicable": 1.0, "median_seconds": None,
        "attention_shown": 0, "attention_heeded": 0, "repeat_change": None,
    }  # fmt: skip
