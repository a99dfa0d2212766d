import asyncio
import os
import signal
import time

import pytest

from stoic_assets.adapters.graph import embedded_graph
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.embedded_server import GraphServer, is_running
from stoic_assets.adapters.graph.graphs import Graphs, open_graphs
from stoic_assets.adapters.process import process_identity
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import ConfigurationError, InfrastructureError, QueryError

ENDLESS = "UNWIND range(1, 2000000) AS x UNWIND range(1, 2000000) AS y RETURN count(*) AS n"

def run(graphs: Graphs, setup: str, cypher: str) -> list[dict[str, object]]:
    async def work() -> list[dict[str, object]]:
        await graphs.subject.run_script(setup, {}, 10)
        return await graphs.subject.observe(cypher, {}, 10, 10)

    return asyncio.run(work())


def test_by_default_both_graphs_are_databases_of_the_embedded_server(embedded, embedded_home):
    with open_graphs(embedded_home, {}) as graphs:
        assert graphs.embedded == embedded
        asyncio.run(graphs.stoic.write("MERGE (:Agent {id: 'marcus'})"))
        assert run(graphs, "MATCH (n) DETACH DELETE n", "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
        assert asyncio.run(graphs.stoic.write("MATCH (a:Agent {id: 'marcus'}) RETURN a.id AS id")) == [{"id": "marcus"}]
        assert graphs.subject_address == embedded.address("subject")
        with pytest.raises(QueryError, match="Forbidden"):
            run(graphs, "", "CREATE (:Reminder)")


@pytest.mark.long
def test_after_the_embedded_server_died_only_what_ran_then_is_lost(tmp_path):
    async def work(graphs: Graphs) -> None:
        await graphs.subject.run_script("CREATE (:Kept {n: 1})", {}, 10)
        running = asyncio.create_task(graphs.subject.observe(ENDLESS, {}, 1, 60))
        await asyncio.sleep(1)
        os.kill(graphs.embedded.pid, signal.SIGKILL)
        with pytest.raises(InfrastructureError):
            await running
        several = [graphs.subject.observe("MATCH (k:Kept) RETURN k.n AS n", {}, 1, 10) for _ in range(5)]
        assert await asyncio.gather(*several) == [[{"n": 1}]] * 5
        await graphs.stoic.write("MERGE (:Agent {id: 'marcus'})")
        with pytest.raises(QueryError, match="Forbidden"):
            await graphs.subject.observe("CREATE (:Kept)", {}, 10, 10)

    with open_graphs(tmp_path, {}) as graphs:
        asyncio.run(work(graphs))


@pytest.mark.long
def test_an_interrupted_run_does_not_wait_for_the_search_for_a_server_that_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_graph, "_ANSWER_SECONDS", 60)
    monkeypatch.setattr(process_identity, "_GRACE_SECONDS", 0.1)

    async def interrupted(graphs: Graphs) -> None:
        os.kill(graphs.embedded.pid, signal.SIGSTOP)
        graphs.subject._sessions.note_loss()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await graphs.subject.observe("RETURN 1 AS n", {}, 1, 1)

    with open_graphs(tmp_path, {}) as graphs:
        began = time.monotonic()
        asyncio.run(interrupted(graphs))
    assert time.monotonic() - began < 30
    assert not is_running(graphs.embedded)


@pytest.mark.long
def test_a_query_that_eats_all_memory_costs_its_own_trial_alone(tmp_path):
    doubling = "WITH 'x' AS s " + "WITH s + s AS s " * 40 + "RETURN size(s)"

    async def work(graphs: Graphs) -> None:
        with pytest.raises((InfrastructureError, QueryError)):
            await graphs.subject.observe(doubling, {}, 20, 10)
        assert await graphs.subject.observe("RETURN 1 AS n", {}, 10, 10) == [{"n": 1}]

    with open_graphs(tmp_path, {}) as graphs:
        asyncio.run(work(graphs))


def test_the_users_own_subject_graph_stands_beside_the_embedded_one(embedded, embedded_home, neo4j_address):
    env = {"NEO_URI": neo4j_address.uri, "NEO_USERNAME": "neo4j", "NEO_PASSWORD": neo4j_address.password}
    with open_graphs(embedded_home, env) as graphs:
        assert graphs.subject_address == neo4j_address
        assert graphs.embedded == embedded
        asyncio.run(graphs.subject.ping())
        asyncio.run(graphs.stoic.ping())


def test_the_embedded_server_does_not_start_where_nobody_needs_it(tmp_path):
    env = {"NEO_URI": "bolt://127.0.0.1:1", "STOIC_GRAPH_URI": "bolt://127.0.0.1:2", "STOIC_GRAPH_DATABASE": "stoic"}
    with open_graphs(tmp_path, env) as graphs:
        assert graphs.embedded is None
        assert graphs.subject_address == GraphAddress("bolt://127.0.0.1:1")
    assert list(tmp_path.iterdir()) == []


def test_one_database_for_both_is_refused_before_anything_starts(tmp_path):
    env = {"NEO_URI": "bolt://localhost:7687", "STOIC_GRAPH_URI": "bolt://127.0.0.1"}
    with pytest.raises(ConfigurationError, match="STOIC_GRAPH_SHARED"), open_graphs(tmp_path, env):
        pass
    assert list(tmp_path.iterdir()) == []
    with open_graphs(tmp_path, {**env, "STOIC_GRAPH_SHARED": "1"}) as graphs:
        assert graphs.embedded is None


@pytest.mark.parametrize("database", ["subject", ""])
def test_the_printed_address_of_the_embedded_graph_is_known_as_ours(embedded, embedded_home, database):
    with open_graphs(embedded_home, variables(embedded, "NEO", database)) as graphs:
        assert graphs.embedded == embedded
        assert graphs.subject_address == embedded.address("subject")
        with pytest.raises(QueryError, match="Forbidden"):
            run(graphs, "", "CREATE (:Reminder)")


@pytest.mark.parametrize(("subject", "stoic"), [("stoic", None), (None, ""), ("subject", ""), ("", "stoic"), ("", "")])
def test_what_would_let_a_setup_empty_our_graph_on_the_embedded_server_is_refused(
    embedded, embedded_home, subject, stoic
):
    """A database of None stands for a graph without address, an empty one for an address without database."""
    env = variables(embedded, "NEO", subject) | variables(embedded, "STOIC_GRAPH", stoic)
    with pytest.raises(ConfigurationError, match="same database"), open_graphs(embedded_home, env):
        pass


@pytest.mark.long
def test_the_embedded_server_of_another_home_opens_its_subject_graph_where_no_database_is_named(embedded, tmp_path):
    env = variables(embedded, "NEO", "")
    asyncio.run(Graph(embedded.address("stoic")).write("MERGE (:Agent {id: 'kept'})"))
    with open_graphs(tmp_path, env) as graphs:
        assert run(graphs, "MATCH (n) DETACH DELETE n", "MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
    kept = asyncio.run(Graph(embedded.address("stoic")).write("MATCH (a:Agent {id: 'kept'}) RETURN a.id AS id"))
    assert kept == [{"id": "kept"}]


def variables(server: GraphServer, prefix: str, database: str | None) -> dict[str, str]:
    if database is None:
        return {}
    values = {"URI": server.uri, "USERNAME": server.username, "PASSWORD": server.password, "DATABASE": database}
    return {f"{prefix}_{key}": value for key, value in values.items()}
