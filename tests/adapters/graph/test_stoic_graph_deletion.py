"""What a deleted version takes along out of the stoic graph, and what it leaves."""

from dataclasses import replace
from functools import partial

import pytest
from projection import OURS, Projection, everything

from stoic_assets.adapters.graph import stoic_graph, stoic_graph_deletion


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
