"""The check for ratings that took less time than reading the reply takes."""

from collections.abc import Iterator, Mapping

from stoic_assets.core.ratings.checks.flag import RaterFlag
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.table_rows import Row, Rows

WORDS_PER_MINUTE = 400
"""Faster than almost everybody reads with understanding."""
MOST_HASTY = 0.2
"""The share of hasty ratings from which on a rater is flagged; everybody skims now and then."""


def too_fast(rows: Rows, items: Mapping[str, RatedItem]) -> Iterator[RaterFlag]:
    """Raters who gave a fifth or more of their ratings faster than 400 words a minute."""
    timed: dict[str, list[bool]] = {}
    for row in rows:
        if is_timed(row, items):
            hasty = row["seconds"] < items[row["test_id"]].words / WORDS_PER_MINUTE * 60
            timed.setdefault(row["rater_id"], []).append(hasty)
    for rater, hasty_ones in sorted(timed.items()):
        if sum(hasty_ones) >= MOST_HASTY * len(hasty_ones):
            detail = f"{sum(hasty_ones)} of {len(hasty_ones)} items rated faster than {WORDS_PER_MINUTE} words a minute"
            yield RaterFlag(rater, "too_fast", detail)


def is_timed(row: Row, items: Mapping[str, RatedItem]) -> bool:
    """Whether both the time of a rating and the words to read are known."""
    item = items.get(row["test_id"])
    return row.get("seconds") is not None and item is not None and item.words > 0
