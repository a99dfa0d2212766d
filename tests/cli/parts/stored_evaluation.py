"""Rows of an evaluation in the warehouse, and the exit code with which it ends."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import typer

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import finish
from stoic_assets.cli.outcome import Outcome

Stored = Callable[..., Outcome]
START = datetime(2026, 3, 1, tzinfo=UTC)
TRIAL: dict[str, Any] = {
    "trial_id": "t", "job": "chat", "condition": "withheld", "repeat": 1, "outcome": "signed_off",
}  # fmt: skip
VERDICT = {"trial_id": "t", "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": 0.5}
HELD: dict[str, Any] = TRIAL | {"holdout": False, "failure_count": 0, "planned_tasks": 1, "turns": 3}
SCORED_TRIAL: dict[str, Any] = TRIAL | {
    "valid": True, "failure_penalty": 0.0, "virtues_scored": 0, "virtues_not_exercised": 0, "failure_count": 0,
}  # fmt: skip


def left_with(
    outcome: Outcome, workplace: Workplace, fail_under: float | None, as_json: bool = True, **further: Any
) -> int:
    """The exit code."""
    try:
        finish(outcome, workplace, as_json, fail_under, **further)
    except typer.Exit as left:
        return left.exit_code
    return 0
