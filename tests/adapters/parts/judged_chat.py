"""An evaluation of one trial, in which somebody talks, and its judging."""

import asyncio
from typing import Any

from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest, Tables
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.rows import job_columns
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.table_rows import Rows

TRIAL = {
    "trial_id": "t1", "job": "chat", "repeat": 1, "condition": "withheld", "outcome": "signed_off", "failure_count": 0,
    "turns": 2, "started_at": "2026-11-21T00:00:00+00:00",
}  # fmt: skip


def chat(**changes: Any) -> Job:
    task = {"task": "Talk", "acceptanceCriteria": "Somebody talks"}
    target = {"user": "u", "chatbot": "marcus"}
    return Job.model_validate({"name": "chat", "target": target, "tasks": [task], **changes})


def conversed(workplace: Workplace, manifest: Manifest, observed: Rows = (), **trial: Any) -> EvaluationTables:
    """The tables of an evaluation with one trial."""
    found, [job] = EvaluationTables(workplace, manifest), manifest.spec.jobs
    ended = {"user": "u", "session_id": "s", "ended_at": TRIAL["started_at"], "evaluator_model": "m"}
    turns = [{"trial_id": "t1", "turn": n, "speaker": who, "content": "Hi KD-4711", "response_ms": 1.0, "attempts": 1,
              "events": "[]"} for n, who in enumerate(("user", "agent"))]  # fmt: skip
    trials = [TRIAL | ended | job_columns(job) | trial]
    for table, rows in {"trials": trials, "turns": turns, "observations": observed}.items():
        found.write(table, rows)
    return found


def judged(workplace: Workplace, manifest: Manifest, **asked: Any) -> Tables:
    return asyncio.run(EvaluationJudging(workplace, manifest, JudgingRequest(**asked)).verdicts())
