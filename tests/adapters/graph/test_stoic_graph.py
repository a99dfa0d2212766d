"""The projection of the warehouse, on the embedded graph and, where there is one, on Neo4j."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from projection import Projection, everything

from stoic_assets.adapters.graph import stoic_graph, stoic_graph_deletion
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.fitness_comparison import Scale
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead

DOCUMENT = Path(__file__).parents[3] / "docs" / "evolution.md"

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


def test_a_former_parent_leaves_unless_more_is_known_of_it(projection: Projection) -> None:
    evaluated = replace(projection.head, agent_version=f"{projection.agent}@evaluated")
    projection.rows(f"CREATE (:AgentVersion {{id: '{projection.agent}@theirs'}})")
    projection.run(
        projection.version("evaluated", "dated", "shared", "theirs", "typo"),
        partial(stoic_graph.project_evaluations, head=evaluated, evaluations=[projection.evaluation(0)]),
        lambda graph: stoic_graph.project_version(graph, f"{projection.agent}@dated", "2026-01-01", []),
        lambda graph: stoic_graph.project_version(graph, f"{projection.agent}@2", None, [f"{projection.agent}@shared"]),
        projection.version("1.0.0"),
    )
    left = projection.rows("MATCH (v:AgentVersion) WHERE v.id STARTS WITH $agent RETURN v.id AS id ORDER BY id")
    assert [row["id"].partition("@")[2] for row in left] == [
        "1.0.0", "1.1.0", "2", "dated", "evaluated", "shared", "theirs"
    ]


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


def test_what_the_documents_ask_leaves_out_offline_evaluations_people_and_other_scales(projection: Projection) -> None:
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
        ends = {"fitness_low": score - 0.1, "fitness_high": score + 0.1}
        rows = [fitness_update(head, [trial], scale=Scale(key=scale)).row() | ends]
        projection.run(
            partial(stoic_graph.project_evaluations, head=head, evaluations=[trial]),
            partial(stoic_graph.project_fitness, head=head, rows=rows),
        )
    of_people = replace(projection.evaluation(9, ("wisdom",), 0.4), source="human")
    projection.run(projection.evaluations(of_people))
    assert [row["score"] for row in projection.rows(advice)] == [0.5, 0.6]
    [found] = [row for row in projection.rows(change) if row["version"] == child]
    assert found.pop("version") == child
    assert found == pytest.approx(
        {"difference": -0.2, "low": 0.5, "high": 0.7, "parent_low": 0.7, "parent_high": 0.9}
    )


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
