"""The projection of the warehouse, on the embedded graph and, where there is one, on Neo4j."""

import asyncio
import re
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.graph import stoic_graph, stoic_graph_deletion
from stoic_assets.adapters.graph.bolt import Graph, connect
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.fitness_comparison import Scale
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.virtues import VIRTUES, Virtue

DOCUMENT = Path(__file__).parents[3] / "docs" / "evolution.md"
OURS = "(n.id STARTS WITH $agent OR n.agent_version STARTS WITH $agent)"
Step = Callable[[Graph], Awaitable[None]]


@dataclass(frozen=True)
class Projection:
    """A graph in which this test owns everything whose id begins with `agent`: a server of the user's may hold more."""

    graph: Graph
    agent: str

    @property
    def head(self) -> EvaluationHead:
        return EvaluationHead(f"{self.agent}@1.1.0", f"{self.agent}-night", "2026-03-01T02:00:00Z")

    def run(self, *steps: Step) -> None:
        async def main() -> None:
            for step in steps:
                await step(self.graph)

        asyncio.run(main())

    def at_once(self, *steps: Step) -> None:
        async def main() -> None:
            await asyncio.gather(*(step(self.graph) for step in steps))

        asyncio.run(main())

    def rows(self, cypher: str) -> list[dict[str, Any]]:
        return asyncio.run(self.graph.write(cypher, {"agent": self.agent}))

    def census(self) -> dict[str, int]:
        """How many nodes of each label and relationships of each type there are."""
        nodes = self.rows(f"MATCH (n) WHERE {OURS} RETURN labels(n)[0] AS kind, count(*) AS many")
        links = self.rows(f"MATCH (n)-[r]->() WHERE {OURS} RETURN type(r) AS kind, count(*) AS many")
        return {row["kind"]: row["many"] for row in nodes + links}

    def evaluation(self, number: int, virtues: tuple[Virtue, ...] = VIRTUES, score: float = 0.5) -> StoicEvaluation:
        finding = VirtueFinding(score, "it's \"so\"", ("a quote", "ein Zitat – 引用"), (), 0.9)
        name = f"{self.head.evaluation_id}.{number}"
        return StoicEvaluation(name, self.head, f"{self.agent}-job", dict.fromkeys(virtues, finding), score, 0.9)

    def version(self, *parents: str, released_at: str | None = "2026-02-01T01:00:00+01:00") -> Step:
        """A parent is a version of the same agent, or `agent@version`."""
        parents = tuple(each if "@" in each else f"{self.agent}@{each}" for each in parents)
        return lambda graph: stoic_graph.project_version(graph, self.head.agent_version, released_at, parents)

    def evaluations(self, *evaluations: StoicEvaluation) -> Step:
        return lambda graph: stoic_graph.project_evaluations(graph, self.head, evaluations)

    def fitness(self, *evaluations: StoicEvaluation) -> Step:
        rows = [fitness_update(self.head, evaluations).row()]
        return lambda graph: stoic_graph.project_fitness(graph, self.head, rows)

    def trends(self, *numbers: int) -> Step:
        rows = [
            {
                "agent_version": f"{self.agent}@{n}", "virtue": "wisdom", "n": n, "mean": n / 10,
                "slope": None if n == 1 else 0.1,
                "trend": "improving", "evaluated_at": f"2026-03-0{n}T02:00:00Z", "offline": n == 3,
            }
            for n in numbers
        ]
        return lambda graph: stoic_graph.project_trends(graph, self.agent, rows)

    def delete(self, version: str) -> Step:
        return lambda graph: stoic_graph_deletion.delete_version(graph, f"{self.agent}@{version}")


@pytest.fixture(params=["embedded", "neo4j"])
def projection(request: pytest.FixtureRequest) -> Iterator[Projection]:
    if request.param == "embedded":
        server: GraphServer = request.getfixturevalue("embedded")
        graph = connect(server.address("stoic"))
    else:
        graph = connect(request.getfixturevalue("neo4j_address"))
    asyncio.run(stoic_graph.prepare(graph))
    projection = Projection(graph, f"marcus-{uuid.uuid4().hex}")
    yield projection
    projection.rows(f"MATCH (n) WHERE {OURS} DETACH DELETE n")


def everything(projection: Projection) -> list[Step]:
    trials = [projection.evaluation(number) for number in range(3)]
    return [
        projection.version("1.0.0"),
        projection.evaluations(*trials),
        projection.fitness(*trials),
        projection.trends(1, 2),
    ]


WHOLE = {
    "Agent": 1, "AgentVersion": 2, "StoicEvaluation": 3, "Task": 1, "VirtueScore": 15, "VirtueTrend": 1,
    "FitnessUpdate": 1, "HAS_VERSION": 2, "EVOLVED_FROM": 1, "RECEIVED_EVALUATION": 3, "FOR_TASK": 3,
    "HAS_VIRTUE_SCORE": 15, "HAS_VIRTUE_TREND": 1, "DERIVED_FROM": 3,
}


def test_everything_is_there_once_however_often_it_is_projected(projection: Projection) -> None:
    projection.run(*everything(projection))
    assert projection.census() == WHOLE
    projection.run(stoic_graph.prepare, *everything(projection))
    assert projection.census() == WHOLE


def test_projecting_side_by_side_doubles_nothing(projection: Projection) -> None:
    projection.at_once(*[projection.version("1.0.0", "0.9.0") for _ in range(8)], *[projection.trends(1)] * 8)
    census = projection.census()
    assert census == {
        "Agent": 1, "AgentVersion": 3, "VirtueTrend": 1, "HAS_VERSION": 3, "EVOLVED_FROM": 2, "HAS_VIRTUE_TREND": 1,
    }


def test_the_graph_has_the_properties_of_the_contract(projection: Projection) -> None:
    projection.run(*everything(projection))
    found = projection.rows("""
        MATCH (:Agent {id: $agent})-[:HAS_VERSION]->(v:AgentVersion)-[:RECEIVED_EVALUATION]->(e)-[:FOR_TASK]->(t:Task),
              (e)-[:HAS_VIRTUE_SCORE]->(s:VirtueScore {virtue: 'courage'}), (f:FitnessUpdate)-[:DERIVED_FROM]->(e)
        WHERE e.id ENDS WITH '.0'
        RETURN v.id AS version, v.released_at AS released, properties(e) AS e, t.id AS task, properties(s) AS s,
               f.fitness AS fitness
    """)
    trial = f"{projection.head.evaluation_id}.0"
    assert found == [{
        "version": projection.head.agent_version, "released": "2026-02-01T00:00:00+00:00",
        "task": f"{projection.agent}-job", "fitness": 0.5,
        "e": {
            "id": trial, "overall_score": 0.5, "overall_confidence": 0.9, "timestamp": "2026-03-01T02:00:00+00:00",
            "source": "llm", "offline": projection.head.offline, "evaluation_id": projection.head.evaluation_id,
            "holdout": False,
        },
        "s": {
            "id": f"{trial}/courage", "virtue": "courage", "score": 0.5, "confidence": 0.9, "reasoning": "it's \"so\"",
            "examples": ["a quote", "ein Zitat – 引用"], "suggestions": [],
        },
    }]


def test_judging_again_replaces_what_was_said(projection: Projection) -> None:
    projection.run(*everything(projection))
    again = [projection.evaluation(0, ("wisdom",), score=1.0), projection.evaluation(1, ("wisdom", "justice"))]
    projection.run(projection.evaluations(*again), projection.fitness(*again))
    census = projection.census()
    assert (census["StoicEvaluation"], census["VirtueScore"]) == (2, 3)
    assert (census["FitnessUpdate"], census["DERIVED_FROM"]) == (1, 2)
    fitness = projection.rows("MATCH (f:FitnessUpdate) WHERE f.agent_version STARTS WITH $agent RETURN f.fitness AS x")
    assert fitness == [{"x": 0.75}]


def test_a_trial_without_a_virtue_score_is_an_evaluation_without_score(projection: Projection) -> None:
    failed = replace(projection.evaluation(1, ()), overall_score=None, overall_confidence=None)
    both = [projection.evaluation(0), failed]
    projection.run(projection.evaluations(*both), projection.fitness(*both))
    found = projection.rows(
        "MATCH (e:StoicEvaluation) WHERE e.id STARTS WITH $agent OPTIONAL MATCH (e)<-[:DERIVED_FROM]-(f) "
        "RETURN e.id AS id, e.overall_score AS score, count(f) AS learned ORDER BY id"
    )
    assert [(row["score"], row["learned"]) for row in found] == [(0.5, 1), (None, 0)]


def test_an_evaluation_leaves_the_others_of_its_version_alone(projection: Projection) -> None:
    projection.run(*everything(projection))
    head = replace(projection.head, evaluation_id=f"{projection.agent}-later")
    trial = replace(projection.evaluation(0), id=f"{head.evaluation_id}.0", head=head)
    projection.run(
        lambda graph: stoic_graph.project_evaluations(graph, head, [trial]),
        lambda graph: stoic_graph.project_fitness(graph, head, [fitness_update(head, [trial]).row()]),
    )
    census = projection.census()
    assert (census["StoicEvaluation"], census["VirtueScore"], census["FitnessUpdate"]) == (4, 20, 2)


def test_without_a_scored_trial_there_is_no_fitness(projection: Projection) -> None:
    projection.run(*everything(projection))
    projection.run(projection.evaluations(), projection.fitness())
    assert projection.census().keys().isdisjoint({"FitnessUpdate", "StoicEvaluation", "VirtueScore", "DERIVED_FROM"})


def test_a_corrected_release_has_its_own_parents_and_date(projection: Projection) -> None:
    projection.run(projection.version("0.9.0", released_at="2026-01-01"), projection.version("1.0.0", "other@7"))
    found = projection.rows("""
        MATCH (v:AgentVersion)-[:EVOLVED_FROM]->(p) WHERE v.id STARTS WITH $agent
        RETURN v.released_at AS released, p.id AS parent ORDER BY parent
    """)
    released = "2026-02-01T00:00:00+00:00"
    assert found == [
        {"released": released, "parent": f"{projection.agent}@1.0.0"}, {"released": released, "parent": "other@7"}
    ]
    projection.run(lambda graph: stoic_graph_deletion.delete_version(graph, "other@7"))


def test_being_a_parent_changes_nothing_about_a_version(projection: Projection) -> None:
    parent = projection.head.agent_version
    projection.run(
        projection.version(),
        lambda graph: stoic_graph.project_version(graph, f"{projection.agent}@2", None, [parent]),
    )
    released = projection.rows(
        "MATCH (v:AgentVersion) WHERE v.id STARTS WITH $agent RETURN v.released_at AS at ORDER BY v.id"
    )
    assert [row["at"] for row in released] == ["2026-02-01T00:00:00+00:00", None]


def test_what_the_documents_ask_leaves_out_offline_evaluations_and_other_scales(projection: Projection) -> None:
    queries = re.findall(r"```cypher\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    _, advice, change = (query.replace("marcus@1.1.0", projection.head.agent_version) for query in queries)
    child, parent = projection.head.agent_version, f"{projection.agent}@1.0.0"
    projection.run(projection.version(parent))
    for number, (version, offline, score, scale) in enumerate(
        (
            (parent, False, 0.8, "jobs"), (child, False, 0.6, "jobs"), (parent, True, 0.1, "jobs"),
            (child, True, 0.3, "jobs"), (child, False, 0.5, "other jobs"),
        )
    ):
        head = EvaluationHead(version, f"{projection.agent}-{number}", projection.head.time, offline)
        trial = replace(projection.evaluation(number, ("wisdom",), score), head=head)
        rows = [fitness_update(head, [trial], scale=Scale(key=scale)).row()]
        projection.run(
            partial(stoic_graph.project_evaluations, head=head, evaluations=[trial]),
            partial(stoic_graph.project_fitness, head=head, rows=rows),
        )
    assert [row["score"] for row in projection.rows(advice)] == [0.5, 0.6]
    [found] = [row for row in projection.rows(change) if row["version"] == child]
    assert found["difference"] == pytest.approx(-0.2)


def test_a_trial_tells_what_it_came_to_and_which_assertions_failed(projection: Projection) -> None:
    head, trials = replace(projection.head, offline=True), [projection.evaluation(number) for number in range(3)]
    good = {"composite_score": 1, "task_score": 1, "assertion_score": None, "failed_assertions": []}
    projection.run(projection.version())
    for failed in (["was mended"], ["a", "b"]):
        bad = {"composite_score": 0.7, "task_score": 1, "assertion_score": 0.0, "failed_assertions": failed}
        outcomes = {trials[0].id: bad, trials[1].id: good}
        projection.run(partial(stoic_graph.project_evaluations, head=head, evaluations=trials, outcomes=outcomes))
    found = projection.rows(
        "MATCH (e:StoicEvaluation) WHERE e.id STARTS WITH $agent RETURN e.composite_score AS composite, "
        "e.task_score AS task, e.assertion_score AS assertion, e.failed_assertions AS failed ORDER BY e.id"
    )
    assert [tuple(row.values()) for row in found] == [
        (0.7, 1, 0.0, ["a", "b"]), (1, 1, None, []), (None, None, None, None)
    ]
    lost = re.findall(r"```cypher\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)[0]
    rows = projection.rows(lost.replace("marcus@1.1.0", head.agent_version))
    assert [(row["assertion"], row["trials"]) for row in rows] == [("a", 1), ("b", 1)]


@pytest.mark.parametrize("order", [(1, 3, 2), (3, 2, 1)])
def test_the_newest_trend_counts_and_names_its_version(projection: Projection, order: tuple[int, ...]) -> None:
    projection.run(projection.trends(*order))
    found = projection.rows("MATCH (:Agent {id: $agent})-[:HAS_VIRTUE_TREND]->(t) RETURN properties(t) AS trend")
    newest = {
        "id": f"{projection.agent}/wisdom", "virtue": "wisdom", "n": 3, "mean": 0.3, "slope": 0.1, "trend": "improving",
        "agent_version": f"{projection.agent}@3", "updated_at": "2026-03-03T02:00:00+00:00", "offline": True,
    }
    assert found == [{"trend": newest}]


def test_a_virtue_without_a_trend_has_none_any_more(projection: Projection) -> None:
    other = f"{projection.agent}-2"
    row = {
        "agent_version": f"{other}@1", "virtue": "courage", "n": 1, "mean": 0.5, "slope": None, "trend": "stable",
        "evaluated_at": "2026-03-01T02:00Z", "offline": False,
    }
    projection.run(
        projection.trends(1),
        lambda graph: stoic_graph.project_trends(graph, other, [row]),
        lambda graph: stoic_graph.project_trends(graph, projection.agent, [row]),
    )
    trends = "MATCH (a:Agent)-[:HAS_VIRTUE_TREND]->(t) WHERE a.id STARTS WITH $agent RETURN t.id AS id ORDER BY id"
    assert [row["id"] for row in projection.rows(trends)] == [f"{other}/courage", f"{projection.agent}/courage"]


def test_whole_numbers_pin_no_type(projection: Projection) -> None:
    first, then = projection.evaluation(0, score=1), projection.evaluation(0, score=0.25)
    projection.run(projection.evaluations(first), projection.evaluations(then))
    scores = projection.rows("MATCH (s:VirtueScore) WHERE s.id STARTS WITH $agent RETURN DISTINCT s.score AS score")
    assert scores == [{"score": 0.25}]


def test_deleting_a_version_spares_the_others(projection: Projection) -> None:
    older = replace(projection.head, agent_version=f"{projection.agent}@1.0.0", evaluation_id=f"{projection.agent}-old")
    trial = replace(projection.evaluation(0, ("wisdom",)), id=f"{older.evaluation_id}.0", head=older)
    own = replace(projection.evaluation(7), task_id=f"{projection.agent}-own")
    projection.run(
        *everything(projection),
        partial(stoic_graph.project_evaluations, head=older, evaluations=[trial]),
        projection.evaluations(own),
        projection.trends(),
    )
    assert projection.census()["Task"] == 2
    projection.run(projection.delete("1.1.0"))
    assert projection.census() == {
        "Agent": 1, "AgentVersion": 1, "HAS_VERSION": 1, "Task": 1, "StoicEvaluation": 1, "VirtueScore": 1,
        "RECEIVED_EVALUATION": 1, "FOR_TASK": 1, "HAS_VIRTUE_SCORE": 1,
    }


def test_nodes_of_others_are_used_and_never_deleted(projection: Projection) -> None:
    team = f"{projection.agent}-job"
    others = (
        f"CREATE (:Agent {{id: '{projection.agent}', team: true}}), (:Task {{id: '{team}', team: true}}), "
        f"(:FitnessUpdate {{id: '{projection.agent}-gym', agent_version: '{projection.agent}@1.1.0', team: true}})"
    )
    projection.rows(others)
    projection.run(*everything(projection), *everything(projection))
    assert projection.census()["FitnessUpdate"] == 2
    projection.run(projection.trends(), projection.delete("1.1.0"), projection.delete("1.0.0"))
    left = projection.rows(f"MATCH (n) WHERE {OURS} AND n.team RETURN labels(n)[0] AS kind ORDER BY kind")
    assert [row["kind"] for row in left] == ["Agent", "FitnessUpdate", "Task"]
    assert projection.census() == {"Agent": 1, "FitnessUpdate": 1, "Task": 1}


def test_an_agent_goes_with_its_last_version(projection: Projection) -> None:
    projection.run(*everything(projection), projection.delete("1.0.0"))
    assert projection.census()["Agent"] == 1
    for _ in range(2):
        projection.run(projection.trends(), projection.delete("1.1.0"))
        assert projection.census() == {}


def test_parents_that_only_their_child_knew_go_with_it(projection: Projection) -> None:
    of_another = f"{projection.agent}-2@7"
    projection.run(
        lambda graph: stoic_graph.project_version(graph, f"{projection.agent}@0.9", "2026-01-01", []),
        lambda graph: stoic_graph.project_version(graph, f"{projection.agent}@2", None, [f"{projection.agent}@1"]),
        projection.version("0.8", "0.9", "1", of_another),
        projection.delete("1.1.0"),
    )
    left = projection.rows("MATCH (n) WHERE n.id STARTS WITH $agent RETURN n.id AS id ORDER BY id")
    assert [row["id"].removeprefix(projection.agent) for row in left] == ["", "@0.9", "@1", "@2"]


def test_large_versions_are_written_and_deleted_in_parts(
    projection: Projection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (stoic_graph, stoic_graph_deletion):
        monkeypatch.setattr(module, "BATCH", 7)
    trials = [projection.evaluation(number) for number in range(7)]
    projection.run(projection.version(), projection.evaluations(*trials))
    assert projection.census()["VirtueScore"] == 35
    projection.run(projection.delete("1.1.0"))
    assert projection.census() == {}
