"""The rows of a table, trial by trial."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

R = TypeVar("R", bound=Mapping[str, Any])


def by_trial(rows: Iterable[R]) -> dict[str, list[R]]:
    """The rows of each trial, in their order; a trial without rows has an empty list."""
    found: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        found[row["trial_id"]].append(row)
    return found
