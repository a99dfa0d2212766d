"""The check for items that ask for a certain answer, to see whether they are read."""

from collections import Counter
from collections.abc import Iterator, Mapping

from stoic_assets.core.ratings.checks.flag import RaterFlag
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.table_rows import Row, Rows


def missed_attention(rows: Rows, items: Mapping[str, RatedItem]) -> Iterator[RaterFlag]:
    """Raters who gave an attention item any other answer than it asked for; `rows` are those of attention items."""
    seen = Counter(row["rater_id"] for row in rows)
    missed = Counter(row["rater_id"] for row in rows if not _heeded(row, items[row["test_id"]].attention))
    for rater, number in sorted(missed.items()):
        yield RaterFlag(rater, "missed_attention", f"{number} of {seen[rater]} attention items not answered as asked")


def _heeded(row: Row, asked: Mapping[str, int | str]) -> bool:
    return all(row.get(question) == answer for question, answer in asked.items())
