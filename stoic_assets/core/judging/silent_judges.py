"""Which judges gave no verdict, on how many of the questions that they were asked, and why.

Judges differ in severity: where one of a panel gives no verdict, the mean changes although the agent did not.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from stoic_assets.core.judging.ask import out_of_budget
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
    """Whether each judge gave a verdict, question by question; a row of `task_scores` names those that did.

    Questions that the cost ceiling prevented are left out: a later run can still ask them.
    """
    jobs = {row["trial_id"]: row["job"] for row in trials}
    panel = dict.fromkeys(row["judge_model"] for row in verdicts)
    of_virtues = [
        Answer(jobs[row["trial_id"]], "virtues", row["judge_model"], row["error"] is None, row["error"])
        for row in verdicts if not out_of_budget(row)
    ]
    return of_virtues + [
        Answer(jobs[row["trial_id"]], "tasks", judge, judge in _gave_mark(row), _why_no_mark(row, judge, panel))
        for row in tasks if not out_of_budget(row) for judge in panel
    ]


def silence(answers: Iterable[Answer]) -> dict[tuple[str, str], Silence]:
    """How many verdicts of each judge are missing, about virtues and about tasks."""
    given: dict[tuple[str, str], list[bool]] = {}
    for answer in answers:
        given.setdefault((answer.about, answer.judge), []).append(answer.given)
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


def _gave_mark(task: Row) -> list[str]:
    return [] if task["error"] is not None else (task["judge_model"] or "").split(",")


def _why_no_mark(task: Row, judge: str, panel: Collection[str]) -> str | None:
    """The reason as `judge.mean_mark` wrote it; in an error the next judge of the panel follows on the same line."""
    one_more = rf"; (?:{'|'.join(map(re.escape, panel))}): no verdict \("
    why = rf"(?:^|\n|; ){re.escape(judge)}: no verdict \((.+?)\)(?=$|\n|{one_more})"
    found = re.search(why, task["error"] or task["reason"] or "")
    return found and found[1]
