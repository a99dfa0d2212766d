"""Raters who seem not to have read what they rated: the first to know of any figure that rests on their ratings."""

from collections.abc import Iterable, Mapping

from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rater_checks import RaterFlag, missed_attention, too_fast
from stoic_assets.core.ratings.study import by_kind
from stoic_assets.core.table_rows import Rows

_SEEN = {"missed_attention": "missed attention items", "too_fast": "rated faster than one can read"}


def inattention(flags: Iterable[RaterFlag], raters: int) -> str:
    """How many of so many raters missed attention items or were too fast, and what to do; empty where none was.

    Who rated nothing but such items is one more.
    """
    found = [flag for flag in flags if flag.check in _SEEN]
    if not found:
        return ""
    checks, those = {flag.check for flag in found}, {flag.rater_id for flag in found}
    did = " or ".join(words for check, words in _SEEN.items() if check in checks)
    of = plural(max(raters, len(those)), "rater")
    return f"{len(those)} of {of} {did}: talk to them before you ask more raters or go by these figures."


def inattention_in(rows: Rows, items: Mapping[str, RatedItem]) -> str:
    """As `inattention`, by ratings that are not analysed otherwise: `rows` of `human_ratings`."""
    ratings = by_kind(rows, items)
    flags = [*missed_attention(ratings.attention, items), *too_fast(ratings.counted, items)]
    return inattention(flags, len({row["rater_id"] for row in ratings.counted}))
