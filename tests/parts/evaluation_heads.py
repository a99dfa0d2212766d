"""Heads of stored evaluations: rows of the table `evaluations`."""

from typing import Any


def evaluation_head(**columns: Any) -> dict[str, Any]:
    """The head of an evaluation of one trial that is finished, except for the `columns` that are given."""
    plain = {"agent": "marcus", "started_at": "2026-01-01T00:00:00Z", "status": "finished", "offline": False}
    return plain | {"planned_trials": 1} | columns
