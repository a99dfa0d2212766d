"""The tasks that keep a trial from passing."""

from collections.abc import Mapping
from typing import Any

from stoic_assets.core.rounding import falls_short

Trial = Mapping[str, Any]
"""A trial of the document that `--json` prints."""


def low_tasks(trial: Trial, task_at_least: float) -> list[Mapping[str, Any]]:
    """The tasks of a trial that lowered the mean of its task scores; none where it is high enough."""
    mean = trial["scores"]["task"]
    if mean is None or not falls_short(mean, task_at_least):
        return []
    scored = [task for task in trial["tasks"] if task["score"] is not None]
    return [task for task in scored if falls_short(task["score"], task_at_least)]
