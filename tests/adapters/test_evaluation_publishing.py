"""What leaves an evaluation: beside people's words, against its base, for GEPA, and never of a holdout job."""

import asyncio
import json
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from stoic_assets.adapters.bolt import connect
from stoic_assets.adapters.embedded_server import GraphServer
from stoic_assets.adapters.evaluation_publishing import (
    Published,
    delete_from_graph,
    gepa_batch,
    introduce_version,
    project,
    publish,
)
from stoic_assets.adapters.feedback_files import TakenIn, store
from stoic_assets.adapters.version_comparison import compare_versions
from stoic_assets.adapters.version_comparison import store as store_comparison
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.feedback.human_evaluation import HumanFeedback, human_row
from stoic_assets.core.releases import Release
from stoic_assets.core.settings import Feedback

Make = Callable[..., Manifest]
STARTED = "2026-03-01T02:00:00+00:00"
GIVEN = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
def workplace(embedded: GraphServer, embedded_home: Path, tmp_path: Path) -> Workplace:
    """A home that shares the embedded server with other tests, with a warehouse of its own."""
    env = {"STOIC_HOME": str(embedded_home), "STOIC_WAREHOUSE": str(tmp_path / "warehouse")}
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def evaluate(workplace: Workplace, make_manifest: Make) -> Make:
    """An evaluation with one trial for each job, in which wisdom and every other measure got the job's score."""

    def make(version: str, scores: Mapping[str, float], holdouts: Collection[str] = (), **head: Any) -> Manifest:
        agent = version.split("@")[0]
        tables: dict[str, list[dict[str, Any]]] = {
            "evaluations": [
                {
                    "agent": agent, "started_at": STARTED, "status": "finished", "offline": False, "scored_trials": 1,
                    "planned_trials": 1, "evaluator_model": "m", **head,
                }
            ],
            "evaluation_scores": [
                {"agent": agent, "planned_trials": 1, "scored_trials": 1, "invalid_trials": 0, "conclusive": True}
            ],
        }  # fmt: skip
        for number, (job, score) in enumerate(scores.items(), 1):
            for table, row in trial_rows(f"{version}.t{number}", job, score, job in holdouts).items():
                tables.setdefault(table, []).append(row)
        tables["job_measures"] = [
            {"job": job, "condition": "withheld", "measure": measure, "mean": score, "trials": 1, "invalid_trials": 0}
            for job, score in scores.items() for measure in GATING
        ]  # fmt: skip
        for table, rows in tables.items():
            workplace.warehouse.write(table, version, "night", rows)
        parents = (f"{agent}@0.9.0",)
        return make_manifest(evaluation_id="night", agent_version=version, started_at=STARTED, parents=parents)

    return make


def trial_rows(trial: str, job: str, score: float, holdout: bool) -> dict[str, dict[str, Any]]:
    return {
        "trials": {
            "trial_id": trial, "job": job, "holdout": holdout, "condition": "withheld", "repeat": 1,
            "outcome": "signed_off", "failure_count": 0, "planned_tasks": 1, "turns": 1,
        },
        "turns": {
            "trial_id": trial, "turn": 1, "speaker": "agent", "content": f"Said in {job}.", "events": "[]",
        },
        "composite_scores": {
            "trial_id": trial, "job": job, "condition": "withheld", "repeat": 1, "outcome": "signed_off",
            "valid": True, "failure_penalty": 0.0, "virtue_overall": score, "virtue_confidence": 0.9,
            "virtues_scored": 1, "virtues_not_exercised": 0, "failure_count": 0,
        },
        "trial_virtues": {
            "trial_id": trial, "virtue": "wisdom", "score": score, "confidence": 0.9, "verdicts": 1, "failed": 0,
        },
        "virtue_scores": {
            "trial_id": trial, "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": score,
            "reasoning": "so", "supporting_examples": [f"said in {job}", "never said"],
            "improvement_suggestions": [f"Mind {job}."],
        },
    }  # fmt: skip


@pytest.fixture
def manifest(evaluate: Make) -> Manifest:
    """An evaluation of one trial, in which wisdom got 0.8, judged and scored."""
    return evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"mentor": 0.8})


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
    assert together.improvement_areas == {"wisdom": ["Mind mentor.", "Read dates back."]}
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


def updates_sent(workplace: Workplace, manifest: Manifest) -> list[dict[str, Any]]:
    files = (workplace.project.home / "outbox" / "pending" / "fitness").glob("*.json")
    messages = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [each["body"] for each in messages if each["agent_version"] == manifest.agent_version]


def test_what_is_sent_is_stored_with_its_grounds(workplace: Workplace, evaluate: Make) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"a": 0.2, "b": 0.4, "c": 0.3})
    update = published(workplace, manifest).update
    [sent] = updates_sent(workplace, manifest)
    assert sent == json.loads(json.dumps(update.payload()))
    advice = {each["suggestion"]: each["quotes"] for each in sent["improvements"]}
    assert advice == {"Mind a.": ["said in a"], "Mind b.": ["said in b"], "Mind c.": ["said in c"]}
    [stored] = workplace.warehouse.read("fitness_updates", manifest.agent_version, "night")
    assert stored["floor_violations"] == ["wisdom"]
    assert stored["parents"] == sent["parents"] == list(manifest.parents)
    assert json.loads(stored["floors"]) == workplace.settings.evolution.floors
    assert published(workplace, manifest).update == update
    assert len(updates_sent(workplace, manifest)) == 1


@pytest.mark.parametrize("flaw", ["unfinished", "inconclusive"])
def test_of_an_evaluation_that_says_nothing_no_fitness_leaves(
    workplace: Workplace, manifest: Manifest, evaluate: Make, flaw: str
) -> None:
    if flaw == "unfinished":
        manifest = evaluate(manifest.agent_version, {"mentor": 0.8}, status="failed")
    else:
        [scores] = workplace.warehouse.read("evaluation_scores", manifest.agent_version, "night")
        workplace.warehouse.write(
            "evaluation_scores", manifest.agent_version, "night", [{**scores, "conclusive": False}]
        )
    assert not published(workplace, manifest).conclusive
    assert updates_sent(workplace, manifest) == []
    with pytest.raises(ConfigurationError, match="is not finished or has too many invalid trials"):
        gepa_batch(workplace, manifest)


def test_holdout_jobs_are_in_the_verdict_and_not_in_what_evolution_is_told(
    workplace: Workplace, evaluate: Make
) -> None:
    """Were they in it, a loop could breed for them; here they would even hide that the open jobs got worse."""
    agent = f"agent{uuid.uuid4().hex}"
    open_jobs = {f"job {number}": 0.7 + number / 100 for number in range(6)}
    secrets = {f"secret {number}": 0.3 for number in range(4)}
    worse = {job: score - 0.3 - number / 100 for number, (job, score) in enumerate(open_jobs.items())}
    better = {job: 1.0 - number / 100 for number, job in enumerate(secrets)}
    evaluate(f"{agent}@0.9.0", {**open_jobs, **secrets}, secrets)
    manifest = evaluate(f"{agent}@1.0.0", {**worse, **better}, secrets)
    comparison = compare_versions(workplace, f"{agent}@0.9.0", f"{agent}@1.0.0")
    assert comparison.verdict == "inconclusive"
    store_comparison(workplace, manifest, comparison)
    told = published(workplace, manifest).update
    assert told.comparison is not None
    assert (told.comparison["base"], told.comparison["verdict"]) == (f"{agent}@0.9.0", "regressed")
    assert told.comparison["regressed"]
    assert told.fitness == pytest.approx(sum(worse.values()) / len(worse))
    [sent] = updates_sent(workplace, manifest)
    batch = gepa_batch(workplace, manifest)
    assert len(batch.scores) == len(worse)
    assert "secret" not in json.dumps([sent, told.row(), batch.outputs])
    assert "secret" not in str(batch)


class Receiver(Protocol):
    """The service of the tests, which takes messages."""

    url: str

    def replies(self, *bodies: Any, status: int = 200) -> None: ...


def test_what_leaves_with_a_later_evaluation_gets_its_time(
    workplace: Workplace, evaluate: Make, service: Receiver
) -> None:
    heard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": service.url, "EVOLUTION_URL": service.url})
    agent = f"agent{uuid.uuid4().hex}"
    first, second = evaluate(f"{agent}@1.0", {"mentor": 0.8}), evaluate(f"{agent}@1.1", {"mentor": 0.9})
    service.replies({}, status=401)
    assert published(heard, first).delivery.delivered == 0
    service.replies({})
    assert published(heard, second).delivery.pending == 0
    for manifest in (first, second):
        for table in ("events", "fitness_updates"):
            rows = workplace.warehouse.read(table, manifest.agent_version, "night")
            assert all(row["delivered_at"] for row in rows)
    written = workplace.warehouse.file("events", second.agent_version, "night")
    assert written is not None
    assert written.name == "night.1.parquet"


def test_without_a_comparison_none_is_told(workplace: Workplace, manifest: Manifest) -> None:
    assert published(workplace, manifest).update.comparison is None


def test_the_stoic_graph_says_which_evaluations_are_held_out(
    workplace: Workplace, evaluate: Make, embedded: GraphServer
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"open": 0.4, "secret": 0.6}, {"secret"})
    published(workplace, manifest)
    project(workplace, manifest)
    rows = asyncio.run(
        connect(embedded.address("stoic")).write(
            "MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e)-[:FOR_TASK]->(t) "
            "RETURN t.id AS job, e.holdout AS holdout ORDER BY job",
            {"version": manifest.agent_version},
        )
    )
    assert [(row["job"], row["holdout"]) for row in rows] == [("open", False), ("secret", True)]


def in_graph(embedded: GraphServer, cypher: str, agent: str) -> list[dict[str, Any]]:
    return asyncio.run(connect(embedded.address("stoic")).write(cypher, {"agent": agent}))


def trends(embedded: GraphServer, agent: str) -> list[dict[str, Any]]:
    """The agent's trends in the graph."""
    query = "MATCH (:Agent {id: $agent})-[:HAS_VIRTUE_TREND]->(t) RETURN t.n AS n, t.mean AS x"
    return in_graph(embedded, query, agent)


def test_a_deleted_version_leaves_the_trends_of_the_others(
    workplace: Workplace, evaluate: Make, embedded: GraphServer
) -> None:
    agent = f"agent{uuid.uuid4().hex}"
    for version, score in (("1", 0.4), ("2", 0.6)):
        manifest = evaluate(f"{agent}@{version}", {"mentor": score})
        workplace.warehouse.write(
            "evaluation_virtues", manifest.agent_version, "night",
            [{"agent": agent, "virtue": "wisdom", "score": score, "trials": 1, "not_exercised": 0}],
        )  # fmt: skip
        published(workplace, manifest)
        project(workplace, manifest)
    assert trends(embedded, agent) == [{"n": 2, "x": 0.6}]
    for version, left in (("2", [{"n": 1, "x": 0.4}]), ("1", [])):
        workplace.warehouse.delete(f"{agent}@{version}")
        delete_from_graph(workplace, f"{agent}@{version}")
        assert trends(embedded, agent) == left


def test_a_version_is_introduced_with_what_its_release_says(workplace: Workplace, embedded: GraphServer) -> None:
    agent = f"agent{uuid.uuid4().hex}"
    release = Release.model_validate(
        {"agent": agent, "version": "1.1", "releasedAt": "2026-11-02T09:00:00Z", "parents": ["1.0"]}
    )
    introduce_version(workplace, release.agent_version, release)
    introduce_version(workplace, f"{agent}@dev", None)
    query = (
        "MATCH (:Agent {id: $agent})-[:HAS_VERSION]->(v) OPTIONAL MATCH (v)-[:EVOLVED_FROM]->(p) "
        "RETURN v.id AS id, v.released_at AS at, p.id AS parent ORDER BY id"
    )
    assert [tuple(row.values()) for row in in_graph(embedded, query, agent)] == [
        (f"{agent}@1.0", None, None),
        (f"{agent}@1.1", "2026-11-02T09:00:00+00:00", f"{agent}@1.0"),
        (f"{agent}@dev", None, None),
    ]
