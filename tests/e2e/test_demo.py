"""What a newcomer gets from one command: two releases of a live agent, and the worse one caught."""

import json
from typing import Any

import duckdb
import neo4j
import pytest
from stoic_command import Stoic

from stoic_assets.core.virtues import VIRTUES

pytestmark = pytest.mark.long


def test_the_demo_catches_the_worse_release(bare: Stoic) -> None:
    nobody = dict.fromkeys(("NEO_URI", "STOIC_GRAPH_URI"), "bolt://127.0.0.1:9")
    done = bare("demo", "--json", EVOLUTION_URL="http://127.0.0.1:9", **nobody)  # none of the user's services matters

    found = done.document
    good, bad = found["evaluations"]
    assert (good["agent_version"], bad["agent_version"]) == ("marcus@1.0.0", "marcus@1.1.0")
    assert good["offline"] is True
    assert (good["invalid_trials"], bad["invalid_trials"]) == (0, 0)
    _check_verdict(bare, found["comparison"])
    assert bad["average_score"] < good["average_score"]
    assert len([flip for flip in found["flipped_assertions"] if flip["change"] < 0]) > 10
    assert found["flipped_assertions"] == found["comparison"]["flipped_assertions"]
    _check_tables(bare)
    _check_graph(bare, good["evaluation_id"], len(good["trials"]))
    report = bare.home / "reports" / "marcus@1.1.0" / f"{bad['evaluation_id']}.html"
    assert "marcus@1.0.0" in report.read_text()


def _check_verdict(stoic: Stoic, comparison: dict[str, Any]) -> None:
    """Worse at what 1.1.0 is worse at; and a pipeline stops on it, but not the other way round."""
    assert comparison["verdict"] == "regressed"
    regressed = {row["measure"] for row in comparison["findings"] if row["gating"] and row["verdict"] == "regressed"}
    assert {"assertion", "overall"} <= regressed
    assert regressed & set(VIRTUES)
    assert "timing" not in regressed
    worse = stoic("compare", "marcus@1.0.0", "marcus@1.1.0", "--fail-on", "regression", code=1)
    assert worse.out.count("marcus@1.1.0 is worse than marcus@1.0.0") == 1
    assert "--fail-on regression: the verdict on marcus@1.1.0 is regressed" in worse.err
    better = stoic("compare", "marcus@1.1.0", "marcus@1.0.0", "--fail-on", "regression", "--json").document
    assert better["verdict"] == "improved"


def _check_tables(stoic: Stoic) -> None:
    with duckdb.connect(str(stoic.home / "warehouse" / "stoic.duckdb"), read_only=True) as database:
        rows = database.sql(
            "select agent_version, avg(assertion), avg(overall) from composite_scores group by all order by 1"
        ).fetchall()
        [(good, good_assertion, good_overall), (bad, bad_assertion, bad_overall)] = rows
        assert (good, bad) == ("marcus@1.0.0", "marcus@1.1.0")
        assert bad_assertion < good_assertion - 0.2
        assert bad_overall < good_overall
        failed = "select count(*) from assertion_results where not passed group by agent_version order by agent_version"
        assert database.sql(failed).fetchall()[-1][0] > 10


def _check_graph(stoic: Stoic, evaluation_id: str, trials: int) -> None:
    """The stoic graph over Bolt: both releases, their lineage, and the evaluations of each."""
    with stoic.start("graph", "--json") as server:
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        with neo4j.GraphDatabase.driver(told["uri"], auth=(told["username"], told["password"])) as driver:
            rows = driver.execute_query(
                "MATCH (:Agent {id: 'marcus'})-[:HAS_VERSION]->(v)-[:RECEIVED_EVALUATION]->(e:StoicEvaluation) "
                "WITH v, count(e) AS trials, avg(e.composite_score) AS score, sum(size(e.failed_assertions)) AS failed "
                "OPTIONAL MATCH (v)-[:EVOLVED_FROM]->(p) "
                "RETURN v.id AS id, trials, score, failed, p.id AS parent ORDER BY id",
                database_=told["databases"]["stoic"],
            ).records
        assert [(row["id"], row["trials"], row["parent"]) for row in rows] == [
            ("marcus@1.0.0", trials, None), ("marcus@1.1.0", trials, "marcus@1.0.0")
        ]
        assert rows[1]["score"] < rows[0]["score"]
        assert rows[1]["failed"] > rows[0]["failed"] + 10
        stopped = stoic("graph", "--stop", "--json").document
        assert stopped == {"stopped": True}
        server.terminate()
        assert server.wait(20) == 0
