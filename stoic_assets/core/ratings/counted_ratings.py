"""Which ratings count: no practice, no attention items, no repeats."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]


def counted(rows: Iterable[Row], attention: Collection[str] = ()) -> list[Row]:
    """The rows of `human_ratings` that are ratings proper; `attention` holds the ids of attention items."""
    return [row for row in rows if not (row.get("practice") or row.get("repeat_of") or row["test_id"] in attention)]
