"""What leaves an evaluation when people have spoken of the version too."""

import asyncio
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.bolt import connect
from stoic_assets.adapters.embedded_server import GraphServer
from stoic_assets.adapters.evaluation_publishing import Published, project, publish
from stoic_assets.adapters.feedback_files import TakenIn, store
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.evaluation import EvaluationSpec, Manifest
from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.feedback.human_evaluation import HumanFeedback, human_row
from stoic_assets.core.settings import Feedback

STARTED = "2026-03-01T02:00:00+00:00"
GIVEN = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
def workplace(embedded: GraphServer, embedded_home: Path, tmp_path: Path) -> Workplace:
    """A home that shares the embedded server with other tests, with a warehouse of its own."""
    env = {"STOIC_HOME": str(embedded_home), "STOIC_WAREHOUSE": str(tmp_path / "warehouse")}
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def manifest(workplace: Workplace) -> Manifest:
    """An evaluation of one trial, in which wisdom got 0.8, judged and scored."""
    version = f"agent{uuid.uuid4().hex}@1.0.0"
    spec = EvaluationSpec(
        jobs=(), addresses={}, agent_model="m", evaluator_model="m", judge_models=("gpt",), judge_samples=1,
        prompts_hash="h",
    )  # fmt: skip
    trial = f"{version}.t1"
    tables: dict[str, dict[str, Any]] = {
        "evaluations": {
            "agent": version.split("@")[0], "started_at": STARTED, "status": "finished", "offline": False,
            "planned_trials": 1,
        },
        "trials": {
            "trial_id": trial, "job": "mentor", "holdout": False, "condition": "withheld", "repeat": 1,
            "outcome": "signed_off", "failure_count": 0, "planned_tasks": 1, "turns": 2,
        },
        "composite_scores": {
            "trial_id": trial, "job": "mentor", "condition": "withheld", "repeat": 1, "outcome": "signed_off",
            "valid": True, "failure_penalty": 0.0, "virtue_overall": 0.8, "virtue_confidence": 0.9,
            "virtues_scored": 1, "virtues_not_exercised": 0, "failure_count": 0,
        },
        "trial_virtues": {
            "trial_id": trial, "virtue": "wisdom", "score": 0.8, "confidence": 0.9, "verdicts": 1, "failed": 0,
        },
        "virtue_scores": {
            "trial_id": trial, "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": 0.8, "reasoning": "so",
        },
        "evaluation_scores": {
            "agent": version.split("@")[0], "planned_trials": 1, "scored_trials": 1, "invalid_trials": 0,
            "conclusive": True,
        },
    }  # fmt: skip
    for table, row in tables.items():
        workplace.warehouse.write(table, version, "night", [row])
    return Manifest(
        evaluation_id="night", agent_version=version, started_at=STARTED, offline=False, run_id="r", spec=spec,
        spec_hash="s",
    )  # fmt: skip


def say(workplace: Workplace, version: str, score: float) -> str:
    """Stores one person's word on accuracy and returns its id."""
    entry = DimensionFeedback(
        dimension="accuracy", score=score, confidence=0.9, improvement_suggestions=("Read dates back.",)
    )
    metrics = Metrics(dimension_feedback=(entry,), overall_satisfaction=score, interpretation_confidence=0.9)
    found = HumanFeedback(f"feedback-{version}", "metrics", version, "mentor", GIVEN, metrics)
    store(workplace, TakenIn([human_row(found, Feedback().virtues)], ()))
    return found.id


def published(workplace: Workplace, manifest: Manifest) -> Published:
    return asyncio.run(publish(workplace, manifest))


def test_people_count_beside_the_judges(workplace: Workplace, manifest: Manifest) -> None:
    alone = published(workplace, manifest).update
    assert (alone.fitness, alone.weak_virtues) == (0.8, [])
    person = say(workplace, manifest.agent_version, 0.2)
    together = published(workplace, manifest).update
    assert together.fitness == pytest.approx(0.5)
    assert together.improvement_areas == {"wisdom": ["Read dates back."]}
    assert set(together.trial_ids) == {*alone.trial_ids, person}
    [stored] = workplace.warehouse.read("fitness_updates", manifest.agent_version, "night")
    assert stored["idempotency_key"] == together.idempotency_key != alone.idempotency_key


def test_without_feedback_nothing_changes(workplace: Workplace, manifest: Manifest) -> None:
    before = published(workplace, manifest).update
    say(workplace, f"other{manifest.agent_version}", 0.1)
    assert published(workplace, manifest).update == before


def test_people_stand_in_the_stoic_graph_with_their_own_time(
    workplace: Workplace, manifest: Manifest, embedded: GraphServer
) -> None:
    person = say(workplace, manifest.agent_version, 0.2)
    published(workplace, manifest)
    for _ in range(2):
        assert project(workplace, manifest)["stoic_evaluations"] == 2
    graph = connect(embedded.address("stoic"))
    rows = asyncio.run(
        graph.write(
            "MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e)<-[:DERIVED_FROM]-(f:FitnessUpdate) "
            "RETURN e.id AS id, e.source AS source, e.timestamp AS time ORDER BY source",
            {"version": manifest.agent_version},
        )
    )
    assert [(row["id"], row["source"], row["time"]) for row in rows] == [
        (person, "human", "2026-03-02T10:00:00+00:00"), (f"{manifest.agent_version}.t1", "llm", STARTED),
    ]  # fmt: skip
