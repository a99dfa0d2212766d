"""Which judges gave no verdict, on how many of the questions that they were asked, and why.

Judges differ in severity: where one of a panel gives no verdict, the mean changes although the agent did not.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.table_rows import Row, Rows


class Answer(NamedTuple):
    """Whether one judge answered one question, `about` the virtues or tasks of a trial of a job; if not, why."""

    job: str
    about: str
    judge: str
    given: bool
    error: str | None = None


class Silence(NamedTuple):
    """How many questions were `asked`, and for how many of them a verdict is `missing`."""

    missing: int
    asked: int

    @property
    def share(self) -> float:
        """0–1."""
        return self.missing / self.asked


def answers(trials: Iterable[Row], verdicts: Rows, tasks: Iterable[Row]) -> list[Answer]:
    """Whether each judge of the panel gave a verdict, question by question.

    Questions that the cost ceiling prevented are left out: a later run can still ask them.
    """
    jobs = {row["trial_id"]: row["job"] for row in trials}
    panel = dict.fromkeys(row["judge_model"] for row in verdicts)
    of_virtues = [
        Answer(jobs[row["trial_id"]], "virtues", row["judge_model"], row["error"] is None, row["error"])
        for row in verdicts if not row["unpaid"]
    ]
    of_tasks = [_about_task(row, jobs[row["trial_id"]], panel) for row in tasks if not row["unpaid"]]
    return [*of_virtues, *chain.from_iterable(of_tasks)]


def _about_task(row: Row, job: str, panel: Iterable[str]) -> list[Answer]:
    """What a row of `task_scores` says about each judge; earlier releases did not note which of them gave no mark."""
    missing = json.loads(row["missing"] or "{}")
    marked = row["error"] is None
    return [Answer(job, "tasks", judge, marked and judge not in missing, missing.get(judge)) for judge in panel]


def silence(answers: Iterable[Answer]) -> dict[tuple[str, str], Silence]:
    """How many verdicts of each judge are missing, about virtues and about tasks."""
    given = grouped(((answer.about, answer.judge), answer.given) for answer in answers)
    return {question: Silence(found.count(False), len(found)) for question, found in given.items()}


def silent_judges(answers: Sequence[Answer]) -> list[Row]:
    """Each `judge` with a missing verdict: how many were `asked` for and how many are `missing`, by subject, and the
    first `error`."""
    found = silence(answers)
    errors = {answer.judge: answer.error for answer in reversed(answers) if not answer.given}
    return [
        {
            "judge": judge,
            "asked": {about: each.asked for (about, whose), each in found.items() if whose == judge},
            "missing": {about: each.missing for (about, whose), each in found.items() if whose == judge},
            "error": error,
        }
        for judge, error in sorted(errors.items())
    ]


def in_words(silent: Row) -> str:
    """The sentence about one of `silent_judges`."""
    asked, missing = silent["asked"], silent["missing"]
    some = [f"{count} of {plural(asked[about], 'question')} about {about}" for about, count in missing.items() if count]
    extent = "at all" if missing == asked else f"on {' and '.join(some)}"
    return f"judge {silent['judge']} gave no verdict {extent}: {silent['error'] or 'see the report'}"
