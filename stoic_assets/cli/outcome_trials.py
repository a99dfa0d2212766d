"""What the terminal tells of single trials: how they ended, and which assertions failed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stoic_assets.core.conversation.evidence import PLAIN
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.scoring import failed_assertion

Trial = Mapping[str, Any]
"""A trial of the document that `--json` prints."""
Names = Mapping[str, str]
"""What each trial is called, by its id."""


def ending(trial: Trial, names: Names) -> str:
    """How a trial ended, and why."""
    return f"{trial['outcome']}  {names[trial['trial_id']]}: {_why(trial)}"


def endings(trials: Sequence[Trial], names: Names) -> list[str]:
    """How those trials ended that ended unusually, and why."""
    unusual = [trial for trial in trials if trial["outcome"] not in PLAIN]
    return _told_once((trial["outcome"], names[trial["trial_id"]], _why(trial)) for trial in unusual)


def failures(trials: Sequence[Trial], names: Names) -> list[str]:
    """The failed assertions."""
    return _told_once(
        ("failed", names[trial["trial_id"]], failed_assertion.in_words(assertion))
        for trial in trials for assertion in trial["assertions"] if assertion["passed"] is False
    )


def _told_once(told: Iterable[tuple[str, str, str]]) -> list[str]:
    """A line for all trials (what, name, why) of which the same is told: 200 met the same cost ceiling."""
    trials: dict[tuple[str, str], list[str]] = {}
    for what, name, why in told:
        trials.setdefault((what, why), []).append(name)
    return [f"{what}  {listed(names)}: {why}" for (what, why), names in trials.items()]


def _why(trial: Trial) -> str:
    return trial["reason"] or "see the report"
