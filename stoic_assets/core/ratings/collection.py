"""Merging ratings into the table `human_ratings`: each gets its trial, and a rater's newest rating counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from operator import itemgetter
from typing import Literal

from stoic_assets.core.ratings.blinding import Key, Keys
from stoic_assets.core.ratings.rating_file import Rating
from stoic_assets.core.table_rows import Row, Rows

Place = tuple[str, str]
"""Agent version and evaluation under which rows are stored."""

_OF_THE_ITEM = ("agent_version", "evaluation_id", "trial_id", "practice", "attention", "repeat_of")
"""The columns that the key of a reply decides."""
ELSEWHERE: Place = ("unknown@unknown", "elsewhere")
"""Where ratings are stored that belong to no stored trial."""


@dataclass(frozen=True)
class Merged:
    """The result of `merge`. `rows` holds all rows of every place that changed; the counts are of ratings.

    `superseded` ones were dropped for one of the same rater, test id and page that was stored or given with them.
    Ratings whose id is on no built page are `unknown`; they are included in the other counts as well. `training` are
    those of the new ones that are of practice or attention items, which no agreement counts.
    """

    rows: Mapping[Place, list[Row]]
    new: int
    changed: int
    unchanged: int
    superseded: int
    unknown: int
    training: int

    @property
    def has_new(self) -> bool:
        """Whether there are ratings that the table did not have, and some of our own pages."""
        known = self.new + self.changed + self.unchanged + self.superseded > self.unknown
        return known and self.new + self.changed > 0

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of ratings, by their effect."""
        effects = (field.name for field in fields(self) if field.name not in ("rows", "training"))
        return {name: getattr(self, name) for name in effects}


def merge(stored: Rows, ratings: Iterable[Rating], keys: Keys) -> Merged:
    """Merges ratings into the `stored` rows of all places.

    Each rater, test id and page has one row, the newest, and of equally new ratings the last one.
    """
    current = {_identity(row): row for row in sorted(stored, key=_age)}
    rows = (_rating_row(rating, keys.get(rating.test_id)) for rating in ratings)
    given = [_placed(row, current.get(_identity(row))) for row in rows]
    incoming = {_identity(row): row for row in sorted(given, key=_age)}
    found = {identity: _found(current.get(identity), row) for identity, row in incoming.items()}
    taken = {identity: row for identity, row in incoming.items() if found[identity] in ("new", "changed")}
    replaced = [current[identity] for identity in taken.keys() & current.keys()]
    touched = {_place_of(row) for row in (*replaced, *taken.values())}
    whole: dict[Place, list[Row]] = {place: [] for place in sorted(touched)}
    for _, row in sorted((current | taken).items(), key=itemgetter(0)):
        if _place_of(row) in touched:
            whole[_place_of(row)].append(row)
    counts = Counter(found.values())
    doubles = [row for row in given if row != incoming[_identity(row)]]
    unknown = sum(row["test_id"] not in keys for row in (*incoming.values(), *doubles))
    superseded = counts["superseded"] + len(doubles)
    new = [row for identity, row in incoming.items() if found[identity] == "new"]
    training = sum(row["practice"] or row["attention"] for row in new)
    return Merged(whole, counts["new"], counts["changed"], counts["unchanged"], superseded, unknown, training)


def _found(before: Row | None, row: Row) -> Literal["new", "changed", "unchanged", "superseded"]:
    """What a rating is beside the row that is stored of the same rater, test id and page."""
    if before is None:
        return "new"
    if _age(before) > _age(row):
        return "superseded"
    return "unchanged" if row == {name: before[name] for name in row} else "changed"


def _placed(row: Row, before: Row | None) -> Row:
    """The row of a rating; what was known of its item stays known if the key is lost."""
    if before is None or row["trial_id"] is not None:
        return row
    was_known = before["trial_id"] is not None or before["attention"]
    return {**row, **{name: before[name] for name in _OF_THE_ITEM}} if was_known else row


def _place_of(row: Row) -> Place:
    """Where a row is stored."""
    return row["agent_version"], row["evaluation_id"]


def _rating_row(rating: Rating, key: Key | None) -> Row:
    """A row of `human_ratings`. What the key says about the item takes precedence over what the file says."""
    version, evaluation = _place(key)
    meta = rating.meta
    return {
        "agent_version": version, "evaluation_id": evaluation, "evaluated_at": rating.timestamp,
        "rater_id": rating.rater_id, "test_id": rating.test_id, "trial_id": key.trial_id if key else None,
        **rating.ratings.model_dump(), "overall": rating.overall, "comments": rating.comments,
        "seconds": meta.seconds, "order_index": meta.order_index,
        "practice": key.practice if key else meta.practice, "attention": bool(key and key.attention),
        "repeat_of": key.repeat_of if key else meta.repeat_of, "edits": meta.edits, "page_id": meta.page_id,
        "rated_at": rating.timestamp,
    }


def _identity(row: Row) -> tuple[str, str, str]:
    """What identifies a row: a page keeps its ratings even if another study uses, or takes over, its ids."""
    return row["rater_id"], row["test_id"], row["page_id"] or ""


def _age(row: Row) -> tuple[datetime, float]:
    """Greater is newer. Viewing a reply again adds to its active time but does not change its timestamp."""
    return row["rated_at"], row["seconds"] or 0


def _place(key: Key | None) -> Place:
    if key is None or key.agent_version is None or key.evaluation_id is None:
        return ELSEWHERE
    return key.agent_version, key.evaluation_id
