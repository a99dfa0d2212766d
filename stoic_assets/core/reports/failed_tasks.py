"""Tasks whose scores let trials fail, and by what trials failed at all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import is_missing
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.reports.data import mean
from stoic_assets.core.reports.trial_view import TrialView
from stoic_assets.core.scoring.evaluation_document import low_tasks
from stoic_assets.core.table_rows import Row


@dataclass(frozen=True)
class TaskFailure:
    """A task that lowered the mean of `trials`, of whichever job, so that they failed.

    `score` is its mean over these trials, 0–1; in `judged` trials it has a score.
    """

    text: str
    trials: list[TrialView]
    score: float
    judged: int


def failed_tasks(trials: Sequence[TrialView], at_least: float) -> list[TaskFailure]:
    """The tasks that let trials fail, since the mean of these trials is below `at_least`, 0–1; most often first."""
    in_order = sorted(trials, key=lambda each: natural(each.row["trial_id"]))
    judged = Counter(
        text for each in in_order if each.valid
        for text in {task["task_text"] for task in each.tasks if not is_missing(task.get("score"))}
    )
    low = grouped((task["task_text"], (each, task)) for each in in_order for task in tasks_too_low(each, at_least))
    found = [_failure(text, those, judged[text]) for text, those in low.items()]
    return sorted(found, key=lambda failed: (-len(failed.trials), failed.score, natural(failed.text)))


def _failure(text: str, found: Sequence[tuple[TrialView, Row]], judged: int) -> TaskFailure:
    score = mean((task for _, task in found), "score") or 0.0
    trials = {trial.row["trial_id"]: trial for trial, _ in found}  # a job may have two tasks of one text
    return TaskFailure(text, [*trials.values()], score, judged)


def failed_by(trials: Iterable[TrialView], at_least: float) -> list[tuple[str, int]]:
    """By what the trials failed that did not pass, each counted once; the most frequent first."""
    found = (_failed_by(trial, at_least) for trial in trials if trial.passed is False)
    return Counter(filter(None, found)).most_common()


def _failed_by(trial: TrialView, at_least: float) -> str | None:
    if trial.outcome == "agent_error":
        return "agent failures"
    causes = {"assertions": trial.failed_assertions, "task scores": tasks_too_low(trial, at_least)}
    return " and ".join(name for name, failed in causes.items() if failed) or None


def tasks_too_low(trial: TrialView, at_least: float) -> list[Row]:
    """The tasks that lowered the mean of the trial's task scores below `at_least`, 0–1; none where it is not below."""
    return low_tasks(trial.scores.get("task"), trial.tasks, at_least)
