"""The rows of a table, and those of each trial."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from stoic_assets.core.grouping import grouped

Row = Mapping[str, Any]
"""The values of a row by the names of their columns."""
Rows = Sequence[Row]
R = TypeVar("R", bound=Row)


def by_trial(rows: Iterable[R]) -> dict[str, list[R]]:
    """The rows of each trial, in their order; a trial without rows has an empty list."""
    return grouped((row["trial_id"], row) for row in rows)
