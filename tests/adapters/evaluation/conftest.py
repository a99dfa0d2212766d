"""A project whose jobs a test writes, and evaluations made short."""

import uuid
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from evaluation_heads import evaluation_head
from publications import Make, Sent

from stoic_assets.adapters.project import Project, find_project
from stoic_assets.adapters.ratings.feedback_files import FeedbackRows, store_feedback
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.configuration.settings import Feedback
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.feedback.human_evaluation import HumanFeedback, human_row
from stoic_assets.core.table_repair import tables_at

STARTED = "2026-03-01T02:00:00+00:00"
GIVEN = datetime(2026, 3, 2, 10, tzinfo=UTC)
JOB = "target: {{user: u, {target}}}\ntasks: [{{task: t, acceptanceCriteria: a}}]\n{more}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "releases").mkdir()
    return find_project({}, tmp_path)


@pytest.fixture
def write(project: Project) -> Callable[..., None]:
    """Writes a job of that name, with further lines."""

    def make(name: str, more: str = "", target: str = "chatbot: marcus", folder: Path | None = None) -> None:
        folder = folder or project.jobs
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yml").write_text(JOB.format(target=target, more=more))

    return make


@pytest.fixture
def evaluate(workplace: Workplace, make_manifest: Make) -> Make:
    """An evaluation with one trial for each job, in which wisdom and every other measure got the job's score.

    Without a score the agent failed.
    """

    def make(version: str, scores: Mapping[str, float | None], holdouts: Collection[str] = (), **head: Any) -> Manifest:
        agent = version.split("@")[0]
        tables: dict[str, list[dict[str, Any]]] = {table: [] for table in tables_at("finished")} | {
            "evaluations": [
                evaluation_head(agent=agent, started_at=STARTED, scored_trials=1, evaluator_model="m") | head
            ],
            "evaluation_scores": [
                {"agent": agent, "planned_trials": 1, "scored_trials": 1, "invalid_trials": 0, "conclusive": True}
            ],
        }  # fmt: skip
        for number, (job, score) in enumerate(scores.items(), 1):
            for table, row in _trial_rows(f"{version}.t{number}", job, score, job in holdouts).items():
                tables.setdefault(table, []).append(row)
        tables["job_measures"] = [
            {"job": job, "condition": "withheld", "measure": measure, "mean": score, "trials": 1, "invalid_trials": 0}
            for job, score in scores.items() for measure in GATING if score is not None
        ]  # fmt: skip
        for table, rows in tables.items():
            workplace.warehouse.write(table, version, "night", rows)
        parents = (f"{agent}@0.9.0",)
        return make_manifest(evaluation_id="night", agent_version=version, started_at=STARTED, parents=parents)

    return make


def _trial_rows(trial: str, job: str, score: float | None, holdout: bool) -> dict[str, dict[str, Any]]:
    outcome = "agent_error" if score is None else "signed_off"
    rows = {
        "trials": {
            "trial_id": trial, "job": job, "holdout": holdout, "condition": "withheld", "repeat": 1,
            "outcome": outcome, "failure_count": 0, "planned_tasks": 1, "turns": 1,
        },
        "turns": {
            "trial_id": trial, "turn": 1, "speaker": "agent", "content": f"Said in {job}.", "events": "[]",
        },
        "composite_scores": {
            "trial_id": trial, "job": job, "condition": "withheld", "repeat": 1, "outcome": outcome,
            "valid": True, "failure_penalty": 0.0, "virtue_overall": score,
            "virtue_confidence": None if score is None else 0.9, "virtues_scored": 0 if score is None else 1,
            "virtues_not_exercised": 0, "failure_count": 0,
        },
    }
    virtues = {
        "trial_virtues": {
            "trial_id": trial, "virtue": "wisdom", "score": score, "confidence": 0.9, "verdicts": 1, "failed": 0,
        },
        "virtue_scores": {
            "trial_id": trial, "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": score,
            "reasoning": "so", "supporting_examples": [f"said in {job}", "never said"],
            "improvement_suggestions": [f"Mind {job}."],
        },
    }  # fmt: skip
    return rows if score is None else rows | virtues


@pytest.fixture
def manifest(evaluate: Make) -> Manifest:
    """An evaluation of one trial, in which wisdom got 0.8, judged and scored."""
    return evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"mentor": 0.8})


@pytest.fixture
def say(workplace: Workplace) -> Callable[[str, float], str]:
    """Stores one person's word on the accuracy of a version and returns its id."""

    def store_word(version: str, score: float) -> str:
        entry = DimensionFeedback(
            dimension="accuracy", score=score, confidence=0.9, improvement_suggestions=("Read dates back.",)
        )
        metrics = Metrics(dimension_feedback=(entry,), overall_satisfaction=score, interpretation_confidence=0.9)
        found = HumanFeedback(f"feedback-{version}", "metrics", version, "mentor", GIVEN, metrics)
        store_feedback(workplace, FeedbackRows([human_row(found, Feedback().virtues)], ()))
        return found.id

    return store_word


@pytest.fixture
def updates_sent(waiting: Callable[..., list[dict[str, Any]]]) -> Sent:
    return lambda workplace, manifest: [
        update for update in waiting(workplace, "fitness") if update["agent_version"] == manifest.agent_version
    ]


@pytest.fixture
def evaluated(workplace: Workplace, make_manifest: Make) -> Make:
    """Stores an evaluation in which one virtue was scored and the agent said one thing; no other table has rows."""

    def make(version: str, evaluation_id: str, parents: tuple[str, ...] = ()) -> Manifest:
        started_at = f"2026-03-01T0{len(evaluation_id)}:00:00+00:00"
        manifest = make_manifest(
            evaluation_id=evaluation_id, agent_version=version, started_at=started_at, parents=parents
        )
        workplace.evidence.begin(manifest)
        head = evaluation_head(started_at=STARTED)
        virtue = {"agent": "marcus", "virtue": "wisdom", "score": 0.5, "trials": 1, "not_exercised": 0}
        said = {"trial_id": "t", "turn": 1, "speaker": "agent", "content": f"I am {evaluation_id}."}
        rows: dict[str, dict[str, Any]] = {"evaluations": head, "evaluation_virtues": virtue, "turns": said}
        for table in ("evaluations", *tables_at("finished")):
            workplace.warehouse.write(table, version, evaluation_id, [rows[table]] if table in rows else [])
        return manifest

    return make
