"""What the terminal tells of single trials: how they ended, and which assertions failed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stoic_assets.core.assertions.wording import failure
from stoic_assets.core.conversation.evidence import PLAIN
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.scoring.evaluation_junit import low_tasks

Trial = Mapping[str, Any]
"""A trial of the document that `--json` prints."""
Names = Mapping[str, str]
"""What each trial is called, by its id."""


def ending(trial: Trial, names: Names) -> str:
    """How a trial ended, and why."""
    return f"{trial['outcome']}  {names[trial['trial_id']]}: {_why(trial)}"


def endings(trials: Sequence[Trial], names: Names) -> list[str]:
    """How those trials ended that ended unusually, and why; also what happened where messages failed."""
    unusual = [trial for trial in trials if trial["outcome"] not in PLAIN or trial["reason"]]
    return _told_once((trial["outcome"], names[trial["trial_id"]], _why(trial)) for trial in unusual)


def failures(trials: Sequence[Trial], names: Names, task_at_least: float) -> list[str]:
    """The failed assertions, and the tasks below `task_at_least` (0–1) where they let a trial fail."""
    found = [
        ("failed", names[trial["trial_id"]], failure(assertion))
        for trial in trials for assertion in trial["assertions"] if assertion["passed"] is False
    ]  # fmt: skip
    tasks = [
        ("failed", names[trial["trial_id"]], f"task scored below {task_at_least:g}: {task['task']}")
        for trial in trials for task in low_tasks(trial, task_at_least)
    ]  # fmt: skip
    return _told_once([*found, *tasks])


def _told_once(told: Iterable[tuple[str, str, str]]) -> list[str]:
    """A line for all trials (what, name, why) of which the same is told: 200 met the same cost ceiling."""
    trials: dict[tuple[str, str], list[str]] = {}
    for what, name, why in told:
        trials.setdefault((what, why), []).append(name)
    return [f"{what}  {listed(names)}: {why}" for (what, why), names in trials.items()]


def _why(trial: Trial) -> str:
    return trial["reason"] or "see the report"
