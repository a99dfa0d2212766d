"""Ratings on their way into the table `human_ratings`: each finds its trial, and the newest word of a rater counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stoic_assets.core.ratings.blinding import Key, Keys
from stoic_assets.core.ratings.rating_file import Rating

Row = Mapping[str, Any]
Place = tuple[str, str]
"""Agent version and evaluation under which rows are stored."""

ELSEWHERE: Place = ("unknown@unknown", "elsewhere")
"""Where ratings stand that belong to no trial of ours."""


@dataclass(frozen=True)
class Merged:
    """What `merge` found. `rows` holds all rows of every place that changed; the counts are of ratings.

    Ratings whose id no built page knows are `unknown`; they are among the other three counts as well.
    """

    rows: Mapping[Place, list[Row]]
    new: int
    changed: int
    unchanged: int
    unknown: int


def merge(stored: Sequence[Row], ratings: Iterable[Rating], keys: Keys) -> Merged:
    """Takes ratings into the `stored` rows of all places. Of a rater and a test id there is one row, the newest."""
    current = {(row["rater_id"], row["test_id"]): row for row in stored}
    incoming = {
        (rating.rater_id, rating.test_id): rating for rating in sorted(ratings, key=lambda rating: rating.timestamp)
    }
    touched: set[Place] = set()
    new = changed = 0
    for identity, rating in incoming.items():
        row, before = rating_row(rating, keys.get(rating.test_id)), current.get(identity)
        if before is not None and (before["rated_at"] > row["rated_at"] or row == {name: before[name] for name in row}):
            continue
        current[identity] = row
        touched |= {place_of(each) for each in (row, before) if each is not None}
        new, changed = new + (before is None), changed + (before is not None)
    rows: dict[Place, list[Row]] = {place: [] for place in sorted(touched)}
    for identity in sorted(current):
        if (place := place_of(current[identity])) in touched:
            rows[place].append(current[identity])
    unknown = sum(rating.test_id not in keys for rating in incoming.values())
    return Merged(rows, new, changed, len(incoming) - new - changed, unknown)


def place_of(row: Row) -> Place:
    """Where a row is stored."""
    return row["agent_version"], row["evaluation_id"]


def rating_row(rating: Rating, key: Key | None) -> Row:
    """A row of `human_ratings`. What is known of the item goes before what the file says of it."""
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


def _place(key: Key | None) -> Place:
    if key is None or key.agent_version is None or key.evaluation_id is None:
        return ELSEWHERE
    return key.agent_version, key.evaluation_id
