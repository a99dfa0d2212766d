"""Which ratings count, and how many are enough: no practice, no attention items, no repeats."""

from collections.abc import Collection, Iterable

from stoic_assets.core.table_rows import Row

FEWEST_ITEMS = 10
"""Of an interval: with fewer items, draws hardly differ from each other, and it would suggest false precision."""


def counted(rows: Iterable[Row], attention: Collection[str] = ()) -> list[Row]:
    """The rows of `human_ratings` that count; `attention` holds the ids of attention items."""
    return [row for row in rows if not (row.get("practice") or row.get("repeat_of") or row["test_id"] in attention)]
