"""Evaluations, people's words and trends of the warehouse in the stoic graph, and what of them goes with a version."""

import asyncio
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation.publishing import publish
from stoic_assets.adapters.evaluation.stoic_graph_projection import delete_from_graph, introduce_version, project
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.graph.stoic_graph_deletion import delete_version
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.errors import ConfigurationError, TableMissing
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.progress import Progress
from stoic_assets.core.releases import Release
from stoic_assets.core.table_repair import tables_at

Make = Callable[..., Manifest]


@pytest.fixture
def workplace(embedded: GraphServer, embedded_home: Path, tmp_path: Path) -> Workplace:
    """A home that shares the embedded server with other tests, with a warehouse of its own."""
    env = {"STOIC_HOME": str(embedded_home), "STOIC_WAREHOUSE": str(tmp_path / "warehouse")}
    return open_workplace(env, start=tmp_path)


def test_people_stand_in_the_stoic_graph_with_their_own_time(
    workplace: Workplace, manifest: Manifest, say: Callable[[str, float], str], embedded: GraphServer
) -> None:
    person = say(manifest.agent_version, 0.2)
    asyncio.run(publish(workplace, manifest))
    for _ in range(2):
        assert project(workplace, manifest)["stoic_evaluations"] == 2
    graph = Graph(embedded.address("stoic"))
    rows = asyncio.run(
        graph.write(
            "MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e)<-[:DERIVED_FROM]-(f:FitnessUpdate) "
            "RETURN e.id AS id, e.source AS source, e.timestamp AS time ORDER BY source",
            {"version": manifest.agent_version},
        )
    )
    assert [(row["id"], row["source"], row["time"]) for row in rows] == [
        (person, "human", "2026-03-02T10:00:00+00:00"), (f"{manifest.agent_version}.t1", "llm", manifest.started_at),
    ]  # fmt: skip


def test_the_stoic_graph_says_which_evaluations_are_held_out(
    workplace: Workplace, evaluate: Make, embedded: GraphServer
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"open": 0.4, "secret": 0.6}, {"secret"})
    asyncio.run(publish(workplace, manifest))
    project(workplace, manifest)
    rows = asyncio.run(
        Graph(embedded.address("stoic")).write(
            "MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e)-[:FOR_TASK]->(t) "
            "RETURN t.id AS job, e.holdout AS holdout ORDER BY job",
            {"version": manifest.agent_version},
        )
    )
    assert [(row["job"], row["holdout"]) for row in rows] == [("open", False), ("secret", True)]


def test_a_version_is_worse_in_the_stoic_graph_because_of_what_failed(
    workplace: Workplace, evaluate: Make, embedded: GraphServer
) -> None:
    manifest = evaluate(f"agent{uuid.uuid4().hex}@1.0.0", {"reminder": 0.8})
    version, trial = manifest.agent_version, f"{manifest.agent_version}.t1"
    [composite] = workplace.warehouse.read("composite_scores", version, "night")
    told = {name: composite[name] for name in composite.keys() - {"agent_version", "evaluation_id", "evaluated_at"}}
    workplace.warehouse.write(
        "composite_scores", version, "night", [told | {"overall": 0.7, "task": 1.0, "assertion": 0.5}]
    )
    workplace.warehouse.write(
        "assertion_results", version, "night",
        [
            {"trial_id": trial, "assertion": text, "kind": "cypher", "text": text, "weight": weight, "passed": passed}
            for text, weight, passed in (
                ("kept", 1.0, True), ("not written", 1.0, False), ("not seen", 1.0, None), ("left out", 0.0, False),
            )
        ],
    )  # fmt: skip
    asyncio.run(publish(workplace, manifest))
    project(workplace, manifest)
    query = (
        "MATCH (:Agent {id: $agent})-[:HAS_VERSION]->()-[:RECEIVED_EVALUATION]->(e) RETURN e.overall_score AS virtues, "
        "e.composite_score AS composite, e.task_score AS task, e.assertion_score AS assertion, "
        "e.failed_assertions AS failed"
    )
    assert in_graph(embedded, query, version.split("@")[0]) == [
        {"virtues": 0.8, "composite": 0.7, "task": 1.0, "assertion": 0.5, "failed": ["not written"]}
    ]


def in_graph(embedded: GraphServer, cypher: str, agent: str) -> list[dict[str, Any]]:
    return asyncio.run(Graph(embedded.address("stoic")).write(cypher, {"agent": agent}))


def trends(embedded: GraphServer, agent: str) -> list[dict[str, Any]]:
    """The agent's trends in the graph."""
    query = "MATCH (:Agent {id: $agent})-[:HAS_VIRTUE_TREND]->(t) RETURN t.n AS n, t.mean AS x, t.offline AS offline"
    return in_graph(embedded, query, agent)


def score_wisdom(workplace: Workplace, manifest: Manifest, score: float) -> None:
    agent = manifest.agent_version.split("@")[0]
    virtue = {"agent": agent, "virtue": "wisdom", "score": score, "trials": 1, "not_exercised": 0}
    workplace.warehouse.write("evaluation_virtues", manifest.agent_version, "night", [virtue])


def test_a_deleted_version_leaves_the_trends_of_the_others(
    workplace: Workplace, evaluate: Make, embedded: GraphServer
) -> None:
    agent = f"agent{uuid.uuid4().hex}"
    for version, score in (("1", 0.4), ("2", 0.6)):
        manifest = evaluate(f"{agent}@{version}", {"mentor": score})
        score_wisdom(workplace, manifest, score)
        asyncio.run(publish(workplace, manifest))
        project(workplace, manifest)
    assert trends(embedded, agent) == [{"n": 2, "x": 0.6, "offline": False}]
    for version, left in (("2", [{"n": 1, "x": 0.4, "offline": False}]), ("1", [])):
        workplace.warehouse.delete(f"{agent}@{version}")
        delete_from_graph(workplace, f"{agent}@{version}")
        assert trends(embedded, agent) == left


@dataclass
class Heard(Progress):
    """Knows when somebody is told to wait."""

    told: threading.Event = field(default_factory=threading.Event)
    notes: list[str] = field(default_factory=list)

    def note(self, message: str) -> None:
        self.notes.append(message)
        self.told.set()


def test_trends_hold_what_another_run_of_the_agent_stored_until_they_were_written(
    workplace: Workplace, evaluate: Make, embedded: GraphServer
) -> None:
    """Each waits until the other has read and written them."""
    agent, progress = f"agent{uuid.uuid4().hex}", Heard()
    first, second = (evaluate(f"{agent}@{version}", {"mentor": 0.5}) for version in "12")
    score_wisdom(workplace, first, 0.4)
    asyncio.run(publish(workplace, first))
    with ThreadPoolExecutor() as another:
        with locked(workplace.project.home / "locks" / "stoic_graph"):
            written = another.submit(project, replace(workplace, progress=progress), first)
            assert progress.told.wait(60)
            score_wisdom(workplace, second, 0.6)
        assert written.result()["virtue_trends"] == 2
    assert trends(embedded, agent) == [{"n": 2, "x": 0.6, "offline": False}]


def copied(workplace: Workplace, night: Manifest, evaluation_id: str) -> Manifest:
    """Another evaluation of the same version, later and with the same scores."""
    version, later = night.agent_version, "2026-03-04T02:00:00+00:00"
    for table in ("evaluations", *tables_at("finished")):
        rows = workplace.warehouse.read(table, version, night.evaluation_id, TABLES[table])
        named = [row | {"trial_id": f"{row['trial_id']}.{evaluation_id}"} if "trial_id" in row else row for row in rows]
        moved = [row | {"started_at": later} if table == "evaluations" else row for row in named]
        workplace.warehouse.write(table, version, evaluation_id, moved)
    return night.model_copy(update={"evaluation_id": evaluation_id, "started_at": later})


def test_what_the_graph_has_lost_of_a_version_is_written_with_any_evaluation_of_it(
    workplace: Workplace, manifest: Manifest, embedded: GraphServer
) -> None:
    """Even with one that has no scores yet, whose own projection is refused; and only once."""
    version, agent = manifest.agent_version, manifest.agent_version.split("@")[0]
    score_wisdom(workplace, manifest, 0.4)
    dawn = copied(workplace, manifest, "dawn")
    for each in (manifest, dawn):
        asyncio.run(publish(workplace, each))
    query = (
        "MATCH (:Agent {id: $agent})-[:HAS_VERSION]->()-[:RECEIVED_EVALUATION]->(e)<-[:DERIVED_FROM]-(f) "
        "MATCH (e)-[:HAS_VIRTUE_SCORE]->(s) RETURN e.evaluation_id AS id, f.evaluation_id AS fitness ORDER BY id"
    )
    both = [{"id": "dawn", "fitness": "dawn"}, {"id": "night", "fitness": "night"}]
    assert [project(workplace, dawn)["restored_evaluations"] for _ in range(2)] == [1, 0]
    assert in_graph(embedded, query, agent) == both
    cut_short = "MATCH (f:FitnessUpdate {evaluation_id: 'night'}) DETACH DELETE f"
    asyncio.run(Graph(embedded.address("stoic")).write(cut_short, {}))
    assert [project(workplace, dawn)["restored_evaluations"] for _ in range(2)] == [1, 0]
    assert in_graph(embedded, query, agent) == both
    asyncio.run(delete_version(Graph(embedded.address("stoic")), version))
    held = {"agent": agent, "started_at": "2026-03-05T02:00:00Z", "status": "conversed", "offline": False}
    workplace.warehouse.write("evaluations", version, "noon", [held | {"planned_trials": 1}])
    workplace.warehouse.write("trials", version, "noon", [])
    with pytest.raises(TableMissing, match=r"of evaluation noon .* is missing; materialise that asset first"):
        project(workplace, manifest.model_copy(update={"evaluation_id": "noon"}))
    assert in_graph(embedded, query, agent) == both
    assert len(trends(embedded, agent)) == 1


def test_an_evaluation_that_has_lost_a_table_keeps_no_other_out_of_the_graph(
    workplace: Workplace, manifest: Manifest
) -> None:
    dawn, progress = copied(workplace, manifest, "dawn"), Heard()
    watched = replace(workplace, progress=progress)
    asyncio.run(publish(workplace, dawn))
    assert project(watched, dawn)["restored_evaluations"] == 0
    assert progress.notes == [], "nothing is lost of what another run may be about to write"
    asyncio.run(publish(workplace, manifest))
    lost = workplace.warehouse.file("assertion_results", manifest.agent_version, "night")
    assert lost is not None
    lost.unlink()
    assert project(watched, dawn)["restored_evaluations"] == 0
    [note] = progress.notes
    assert note.startswith(
        "night is not written into the stoic graph again: table assertion_results of evaluation night"
    )
    assert note.endswith(f"run `stoic regrade --agent-version {manifest.agent_version} --evaluation night`")


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


def test_date_and_parents_are_those_that_the_newest_evaluation_names(
    workplace: Workplace, manifest: Manifest, embedded: GraphServer
) -> None:
    """Whichever evaluation is written last, and where the manifest of the release is gone or was corrected since."""
    version, agent = manifest.agent_version, manifest.agent_version.split("@")[0]
    head = evaluation_head(agent=agent, status="conversed")
    for day, named in (
        (3, {"released_at": "2026-11-01T09:00:00Z", "parents": [f"{agent}@0.8"]}),
        (4, {"parents": [f"{agent}@0.7"]}),
        (5, {}),
    ):
        row = head | {"started_at": f"2026-03-0{day}T02:00:00Z"} | named
        workplace.warehouse.write("evaluations", version, f"night{day}", [row])
    asyncio.run(publish(workplace, manifest))
    project(workplace, manifest)
    query = (
        "MATCH (:Agent {id: $agent})-[:HAS_VERSION]->(v)-[:EVOLVED_FROM]->(p) RETURN v.id AS id, v.released_at AS at, "
        "p.id AS parent"
    )
    corrected = {"agent": agent, "version": version.split("@")[1], "releasedAt": "2026-12-01", "parents": ["0.9"]}
    for release in (None, Release.model_validate(corrected)):
        released = introduce_version(workplace, version, release)
        assert released is not None
        assert released[1] == [f"{agent}@0.7"]
        assert [tuple(row.values()) for row in in_graph(embedded, query, agent)] == [
            (version, "2026-11-01T09:00:00+00:00", f"{agent}@0.7")
        ]


def test_a_release_that_came_after_an_evaluation_keeps_its_parents_when_that_is_written_again(
    workplace: Workplace, manifest: Manifest, embedded: GraphServer
) -> None:
    agent, _, version = manifest.agent_version.partition("@")
    workplace.project.releases.mkdir(exist_ok=True)
    (workplace.project.releases / "r.yml").write_text(
        f"agent: {agent}\nversion: '{version}'\nreleasedAt: 2026-11-02T09:00:00Z\nparents: ['0.9']\n"
    )
    unreleased = manifest.model_copy(update={"parents": ()})
    published = asyncio.run(publish(workplace, unreleased))
    project(workplace, unreleased)
    query = (
        "MATCH (:Agent {id: $agent})-[:HAS_VERSION]->(v)-[:EVOLVED_FROM]->(p) RETURN v.id AS id, v.released_at AS at, "
        "p.id AS parent"
    )
    assert [tuple(row.values()) for row in in_graph(embedded, query, agent)] == [
        (manifest.agent_version, "2026-11-02T09:00:00+00:00", f"{agent}@0.9")
    ]
    assert published.update.parents == [f"{agent}@0.9"]


def test_a_database_of_others_is_refused_before_anything_is_written(
    workplace: Workplace, embedded: GraphServer, tmp_path: Path
) -> None:
    own = {
        "STOIC_GRAPH_URI": embedded.uri, "STOIC_GRAPH_USERNAME": embedded.username,
        "STOIC_GRAPH_PASSWORD": embedded.password, "STOIC_GRAPH_DATABASE": "subject", "STOIC_GRAPH_SHARED": "1",
    }  # fmt: skip
    shared = open_workplace({**workplace.env, **own}, start=tmp_path)
    team, agent = Graph(embedded.address("subject")), f"agent{uuid.uuid4().hex}"
    asyncio.run(team.write("CREATE (:Task {id: 'team-dinner'})"))
    try:
        with pytest.raises(ConfigurationError, match=r"has nodes labelled .*Task.* that are not of Stoic Eval"):
            introduce_version(shared, f"{agent}@1", None)
        assert asyncio.run(team.write("MATCH (a:Agent {id: $agent}) RETURN a.id AS id", {"agent": agent})) == []
    finally:
        asyncio.run(team.write("MATCH (t:Task {id: 'team-dinner'}) DELETE t"))
