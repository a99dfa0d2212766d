"""The rows of a table, and those of each trial."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

Row = Mapping[str, Any]
"""The values of a row by the names of their columns."""
Rows = Sequence[Row]
R = TypeVar("R", bound=Row)


def by_trial(rows: Iterable[R]) -> dict[str, list[R]]:
    """The rows of each trial, in their order; a trial without rows has an empty list."""
    found: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        found[row["trial_id"]].append(row)
    return found
