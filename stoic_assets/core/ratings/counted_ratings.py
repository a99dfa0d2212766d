"""Which ratings count: no practice, no attention items, no repeats."""

from collections.abc import Collection, Iterable

from stoic_assets.core.table_rows import Row


def counted(rows: Iterable[Row], attention: Collection[str] = ()) -> list[Row]:
    """The rows of `human_ratings` that count; `attention` holds the ids of attention items."""
    return [row for row in rows if not (row.get("practice") or row.get("repeat_of") or row["test_id"] in attention)]
