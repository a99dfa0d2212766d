"""The document that `stoic eval --json` prints, built from the rows of one evaluation.

Its shape is public (see docs/tables.md for what the values mean). No score is computed here; the mean of the trial
totals is rounded to the form that people quote.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from stoic_assets.core.conversation.evidence import PLAIN
from stoic_assets.core.judging.silent_judges import answers, silent_judges
from stoic_assets.core.rounding import falls_short, half_even
from stoic_assets.core.table_rows import Row, Rows, by_trial
from stoic_assets.core.virtues import VIRTUES

DOCUMENT_TABLES = (
    "evaluations", "trials", "composite_scores", "trial_virtues", "virtue_scores", "task_scores", "assertion_results",
    "weak_virtues", "evaluation_scores",
)  # fmt: skip
"""The tables whose rows `evaluation_document` needs."""

NOT_JUDGED = "not judged: cost ceiling"
"""What people are shown instead of the outcome `judge_error` where the cost ceiling was reached before a verdict."""
_NO_VIRTUE: Row = {"score": None, "confidence": None, "confidence_source": None, "exercised": None}


def evaluation_document(tables: Mapping[str, Rows]) -> dict[str, Any]:
    """The document of one evaluation; `tables` holds its rows of every table in `DOCUMENT_TABLES`.

    Trials are in the order job, scenario, condition (withheld first), repeat, in whatever order they were run.
    """
    [evaluation], [scores] = tables["evaluations"], tables["evaluation_scores"]
    composites = sorted(tables["composite_scores"], key=_place)
    of_trials = ("trials", "trial_virtues", "virtue_scores", "task_scores", "assertion_results")
    judged = {name: by_trial(tables[name]) for name in of_trials}
    return {
        "evaluation_id": evaluation["evaluation_id"],
        "agent_version": evaluation["agent_version"],
        "average_score": half_even(scores["average_overall"]),
        "offline": evaluation["offline"],
        "trials": [
            _trial(row, {name: rows[row["trial_id"]] for name, rows in judged.items()}) for row in composites
        ],
        "weak_virtues": [_weak_virtue(row) for row in sorted(tables["weak_virtues"], key=lambda row: -row["severity"])],
        "fitness": scores["fitness"],
        "invalid_trials": scores["invalid_trials"],
        "silent_judges": silent_judges(answers(composites, tables["virtue_scores"], tables["task_scores"])),
        "status": evaluation["status"],
        "cost_usd": evaluation["cost_usd"],
    }


def _place(row: Row) -> tuple[str, str, bool, int, str]:
    return row["job"], row["scenario"] or "", row["condition"] != "withheld", row["repeat"], row["trial_id"]


def _trial(row: Row, judged: Mapping[str, Rows]) -> dict[str, Any]:
    """A trial and its scores; an invalid one shows none, even if it was judged before that was known."""
    virtues = {virtue["virtue"]: virtue for virtue in judged["trial_virtues"]}
    return {
        **{key: row[key] for key in ("trial_id", "job", "scenario", "condition", "repeat", "outcome")},
        "holdout": judged["trials"][0]["holdout"],
        "reason": reason(row["outcome"], judged["trials"][0], judged["task_scores"], judged["virtue_scores"]),
        "passed": row["passed"],
        "scores": {key: row[key] for key in ("timing", "task", "assertion", "failure_penalty", "tone", "overall")},
        "tasks": [_task(task, row["valid"]) for task in judged["task_scores"]],
        "virtues": {virtue: _virtue(virtues.get(virtue, _NO_VIRTUE), row["valid"]) for virtue in VIRTUES},
        "virtue_overall": {"score": row["virtue_overall"], "confidence": row["virtue_confidence"]},
        "virtue_overall_weighted": row["virtue_overall_weighted"],
        "assertions": [_assertion(result) for result in judged["assertion_results"]],
        "failure_count": row["failure_count"],
        "average_response_ms": row["average_response_ms"] or 0.0,
        "turns": judged["trials"][0]["turns"],
    }


def reason(outcome: str, trial: Row, tasks: Rows, verdicts: Iterable[Row]) -> str | None:
    """Why a trial ended irregularly, if recorded; where marks are missing, why the first one of a task or virtue is.

    Where one task has a score, the others do no harm, so that the cause is a virtue's.
    """
    harmful = () if any(task["score"] is not None for task in tasks) else tasks
    missing = (error for mark in (*harmful, *verdicts) if (error := mark.get("error")))
    if outcome == "judge_error":  # its `detail`, if any, says what happened to the agent's messages before
        return next(missing, trial.get("detail"))
    return trial.get("detail") or (None if outcome in PLAIN else next(missing, None))


def shown_outcome(outcome: str, marks: Iterable[Row]) -> str:
    """The outcome of a trial as people are shown it; `marks` are its rows of `task_scores` and `virtue_scores`."""
    return NOT_JUDGED if outcome == "judge_error" and any(mark.get("unpaid") for mark in marks) else outcome


def _task(task: Row, valid: bool) -> dict[str, Any]:
    return {"task": task["task_text"], "score": task["score"] if valid else None, "reason": task["reason"] or ""}


def _virtue(virtue: Row, valid: bool) -> dict[str, Any]:
    shown = virtue if valid else {**_NO_VIRTUE, "exercised": virtue["exercised"]}
    return {key: shown[key] for key in _NO_VIRTUE}


def _assertion(result: Row) -> dict[str, Any]:
    same = {"name": result["assertion"]} | {key: result[key] for key in ("kind", "text", "weight", "passed", "error")}
    return same | {key: None if result[key] is None else json.loads(result[key]) for key in ("expected", "actual")}


def _weak_virtue(row: Row) -> dict[str, Any]:
    return {key: row[key] for key in ("virtue", "score", "confidence", "trials", "suggestions")}


TrialEntry = Mapping[str, Any]
"""A trial of the document that `--json` prints."""


def low_tasks(mean: float | None, tasks: Rows, task_at_least: float) -> list[Row]:
    """Those of a trial's tasks that lowered the mean of their scores; none where it is high enough."""
    if mean is None or not falls_short(mean, task_at_least):
        return []
    return [task for task in tasks if task["score"] is not None and falls_short(task["score"], task_at_least)]
