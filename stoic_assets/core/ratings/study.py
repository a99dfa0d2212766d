"""Which ratings belong together, which of them count, and how many items are enough.

A study is what one page shows. Ratings of two pages are not analysed as one: between them replies, raters and criteria
may have changed, and differences between studies would look like agreement within them. Marks given by another rubric,
with other words, are marks on another scale; they are never mixed, not even for a judge's calibration.

No practice, no attention items and no repeats count.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.names import instead_of
from stoic_assets.core.ratings.blinding import Keys
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.table_rows import Row, Rows

NO_PAGE = "elsewhere"
"""The page of ratings that name none and whose items are on no page of Stoic Eval."""


@dataclass(frozen=True)
class Study:
    """The ratings of one page, with its raters' answers to practice and attention items if its items are known.

    A rater has one row for each item: the newest, and for a training item one of this page before any of another.
    `page_id` is what the ratings say, else the newest known page with the items, else `elsewhere`. `rubric` is None
    where it is not known; `others` are the pages of further studies, the one that was rated last first.
    """

    page_id: str
    rubric: str | None
    rows: Rows
    others: tuple[str, ...] = ()


def chosen_study(rows: Rows, keys: Keys, page_id: str | None = None) -> Study:
    """The study of a page, or the one that was rated last. Raises `ConfigurationError` for a page without ratings."""
    proper = grouped((_page(row, keys), row) for row in rows if not _is_training(row))
    pages = sorted(proper, key=lambda page: (max(row["rated_at"] for row in proper[page]), page), reverse=True)
    page = page_id or next(iter(pages), NO_PAGE)
    if page_id and page_id not in proper:
        raise ConfigurationError(f"no rating belongs to page {page_id}; {instead_of(page_id, pages)}")
    shown = proper[page]
    raters = {row["rater_id"] for row in shown if _shown_first(row) in keys}
    training = [row for row in rows if _is_training(row) and (row["rater_id"] in raters or not shown)]
    rubric = next((rubric_of(row, keys) for row in shown), None)
    by_weight = sorted(
        [*shown, *training], key=lambda row: (_page(row, keys) == page, row["rated_at"], row.get("page_id") or "")
    )
    once = {(row["rater_id"], row["test_id"]): row for row in by_weight}
    return Study(page, rubric, list(once.values()), tuple(other for other in pages if other != page))


def by_newest_rubric(rows: Iterable[Row], keys: Keys) -> tuple[list[Row], str | None]:
    """The ratings of stored trials by the rubric of the newest of them, and that rubric; None where it is not known."""
    ours = [row for row in rows if row["trial_id"] is not None]
    if not ours:
        return [], None
    rubric = rubric_of(max(ours, key=lambda row: row["rated_at"]), keys)
    return [row for row in ours if rubric_of(row, keys) == rubric], rubric


def rubric_of(row: Row, keys: Keys) -> str | None:
    """The rubric by which a rating was given, as far as keys know its item."""
    key = keys.get(row["test_id"])
    return key.rubric if key else None


def _page(row: Row, keys: Keys) -> str:
    """The page of a rating; a repeat that does not name its page belongs to that of the reply that it repeats."""
    key = keys.get(_shown_first(row))
    return row.get("page_id") or (key.page_id if key else "") or NO_PAGE


def _shown_first(row: Row) -> str:
    """The id under which an item was shown the first time."""
    return str(row.get("repeat_of") or row["test_id"])


def _is_training(row: Row) -> bool:
    return bool(row.get("practice") or row.get("attention"))


FEWEST_ITEMS = 10
"""Of an interval: with fewer items, draws hardly differ from each other, and it would suggest false precision."""


def counted(rows: Iterable[Row]) -> list[Row]:
    """The rows of `human_ratings` that count."""
    return [row for row in rows if not (_is_training(row) or row.get("repeat_of"))]


@dataclass(frozen=True)
class RatingsByKind:
    """Ratings by what they are for: those that count, those of hidden repeats, and the answers to attention items."""

    counted: Rows
    repeats: Rows
    attention: Rows

    @cached_property
    def repeat_changes(self) -> dict[str, list[float]]:
        """How far each mark on a hidden repeat is from the first one, by rater."""
        first = {(row["rater_id"], row["test_id"]): row for row in self.counted}
        pairs = [(again, first.get((again["rater_id"], again["repeat_of"]), {})) for again in self.repeats]
        return grouped(
            (again["rater_id"], abs(again[name] - before[name]))
            for again, before in pairs
            for name in DIMENSION_NAMES
            if again.get(name) is not None and before.get(name) is not None
        )


def by_kind(rows: Rows, items: Mapping[str, RatedItem]) -> RatingsByKind:
    """Rows of `human_ratings` by kind, without practice; `items` are by blind id."""
    attention = {test_id for test_id, item in items.items() if item.attention}
    shown = [row for row in rows if not row.get("practice")]
    return RatingsByKind(
        counted=[row for row in counted(shown) if row["test_id"] not in attention],
        repeats=[row for row in shown if row.get("repeat_of")],
        attention=[row for row in shown if row["test_id"] in attention],
    )
