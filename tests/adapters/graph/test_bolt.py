import asyncio
import gc
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from stoic_assets.adapters.graph import bolt, bolt_retries, bolt_sessions, embedded_graph
from stoic_assets.adapters.graph.bolt import Graph, connect
from stoic_assets.adapters.graph.bolt_sessions import BoltServer
from stoic_assets.adapters.process import process_identity
from stoic_assets.core.errors import InfrastructureError, QueryError, ServiceUnreachable, StoicError
from stoic_assets.core.graph_address import GraphAddress

ENDLESS = "UNWIND range(1, 2000000) AS x UNWIND range(1, 2000000) AS y RETURN count(*) AS n"

def failure(call: Callable[[], object], kind: type[StoicError] = QueryError) -> str:
    """The one line of the error that a call raises."""
    with pytest.raises(kind) as raised:
        call()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_rows_come_in_order_with_their_columns(subject):
    rows = subject.rows("UNWIND $names AS name RETURN name, size(name) AS size", names=["ada", "bo"])
    assert rows == [{"name": "ada", "size": 3}, {"name": "bo", "size": 2}]


@pytest.mark.parametrize(
    ("cypher", "complaint"),
    [
        ("RETRUN 1", "SyntaxError"),
        ("RETURN 1; RETURN 2", "one statement"),
        ("RETURN $missing", "missing"),
        ("RETURN 1 / 0", "/ by zero"),
        ("RETURN no_such(1)", "no_such"),
    ],
)
def test_a_wrong_query_is_an_error_of_its_assertion(subject, cypher, complaint):
    assert complaint.lower() in failure(lambda: subject.rows(cypher)).lower()


@pytest.mark.parametrize(
    ("cypher", "complaint"),
    [("RETRUN 1", "SyntaxError"), ("RETURN 1; RETURN 2", "one statement"), ("MATCH (n) RETURN m", "not defined")],
)
def test_a_query_that_can_never_run_is_found_without_running_it(subject, cypher, complaint):
    assert complaint in failure(lambda: asyncio.run(subject.graph.explain(cypher)))


@pytest.mark.parametrize("cypher", ["MATCH (n:N) WHERE n.a = 1 RETRUN n", "MATCH (n:N)\nWHERE n.a = 1 RETRUN n"])
def test_a_wrong_query_is_wrong_at_the_same_place_if_it_is_not_run(neo4j_address, cypher):
    graph = connect(neo4j_address)
    explained = failure(lambda: asyncio.run(graph.explain(cypher)))
    assert explained == failure(lambda: asyncio.run(graph.observe(cypher, {}, 5, 1)))
    before = cypher[: cypher.index("RETRUN")]
    column = len(before) - before.rfind("\n")
    assert explained.endswith(f"(line {before.count(chr(10)) + 1}, column {column})")


@pytest.mark.parametrize(
    "cypher", ["MATCH (n:L) RETURN count(n) AS c;", "EXPLAIN RETURN 1", "RETURN 1 / 0", "MATCH (n {a: $a}) RETURN n"]
)
def test_a_query_that_may_run_is_explained_without_its_parameters(subject, cypher):
    assert asyncio.run(subject.graph.explain(subject.named(cypher))) is None


def test_a_query_that_writes_is_never_run_to_be_explained(subject):
    explained = subject.graph.explain(subject.named("CREATE (n:L) RETURN n"))
    if subject.kind == "neo4j":
        assert "writes" in failure(lambda: asyncio.run(explained))
    else:
        asyncio.run(explained)
    asyncio.run(subject.graph.explain(subject.named("PROFILE CREATE (n:L) RETURN n")))
    assert subject.rows("MATCH (n:L) RETURN count(n) AS c") == [{"c": 0}]


def test_a_server_that_calls_everything_a_write_is_not_believed(embedded):
    async def explained() -> None:
        graph = connect(embedded.address("subject"))  # as the `stoic graph` of another home
        try:
            await graph.explain("MATCH (n:Zork) RETURN count(n) AS c")
        finally:
            await graph.aclose()

    assert asyncio.run(explained()) is None


@pytest.mark.parametrize("value", [{1, 2}, 2**63, object()])
def test_a_parameter_that_no_graph_can_hold_is_an_error_of_its_assertion(subject, value):
    assert "parameter" in failure(lambda: subject.rows("RETURN $value", value=value))


def test_as_many_rows_as_allowed_and_no_more(subject):
    assert len(subject.rows("UNWIND range(1, 10) AS n RETURN n", max_rows=10)) == 10
    complaint = failure(lambda: subject.rows(ENDLESS.removesuffix("count(*) AS n") + "x", max_rows=10))
    assert "more than 10 rows" in complaint
    assert subject.rows("RETURN 1 AS n") == [{"n": 1}]


def test_an_endless_query_ends_in_time_on_the_server_too(subject):
    async def run() -> list[object]:
        with pytest.raises(QueryError, match="took longer than"):
            await subject.graph.observe(ENDLESS, {}, 0.5, 10)
        running = await subject.graph.write("SHOW TRANSACTIONS")
        return [row for row in running if row["currentQuery"] == ENDLESS and row["status"] == "Running"]

    began = time.monotonic()
    assert asyncio.run(run()) == []
    assert time.monotonic() - began < 5


def test_many_observations_at_once(subject):
    async def run() -> list[list[dict[str, object]]]:
        cypher = "UNWIND range(1, 300) AS n RETURN n"
        return await asyncio.gather(*(subject.graph.observe(cypher, {}, 60, 300) for _ in range(70)))

    assert {len(rows) for rows in asyncio.run(run())} == {300}


def test_one_graph_serves_several_event_loops(subject):
    async def run() -> list[dict[str, object]]:
        first = await subject.graph.observe("RETURN 1 AS n", {}, 5, 1)
        await subject.graph.aclose()
        return first + await subject.graph.observe("RETURN 2 AS n", {}, 5, 1)

    for _ in range(2):
        assert asyncio.run(run()) == [{"n": 1}, {"n": 2}]


def test_a_connection_sends_at_once(subject):
    """A driver that holds back small packets costs 40 ms for each connection."""

    async def run() -> list[int]:
        await subject.graph.observe("RETURN 1 AS n", {}, 5, 1)
        port = urlsplit(subject.address.uri).port
        sockets = [each for each in gc.get_objects() if type(each) is socket.socket and each.fileno() >= 0]
        return [each.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for each in sockets if peer_port(each) == port]

    held = asyncio.run(run())
    assert held
    assert all(held)


def peer_port(connection: socket.socket) -> int | None:
    """The port at the other end, if there is one."""
    try:
        return int(connection.getpeername()[1])
    except (OSError, IndexError):
        return None


def test_concurrent_merges_of_our_own_make_one_node(constrained):
    async def run() -> None:
        cypher = constrained.named("MERGE (a:L {n: $n}) SET a.seen = $i")
        await asyncio.gather(*(constrained.graph.write(cypher, {"n": 7, "i": i}) for i in range(30)))

    asyncio.run(run())
    assert constrained.rows("MATCH (a:L {n: 7}) RETURN count(a) AS n") == [{"n": 1}]


def test_concurrent_setups_may_be_the_first_to_use_a_label(subject):
    async def both(round_: int) -> None:
        script = subject.named(f"CREATE (:L_new_{round_}:L_also_{round_} {{n: 1}})")
        await asyncio.gather(*[subject.graph.run_script(script, {}, 30) for _ in range(6)])

    for round_ in range(5):
        asyncio.run(both(round_))
        assert subject.rows(f"MATCH (n:L_new_{round_}) RETURN count(n) AS count") == [{"count": 6}]


def test_concurrent_setups_may_merge_the_same_node(constrained):
    async def run() -> None:
        script = constrained.named("MERGE (a:L {n: $n}); MERGE (a:L {n: $n}) SET a.m = 1")
        await asyncio.gather(*(constrained.graph.run_script(script, {"n": 7}, 30) for _ in range(8)))

    asyncio.run(run())
    assert constrained.rows("MATCH (a:L) RETURN a.n AS n ORDER BY n") == [{"n": 1}, {"n": 7}]


@pytest.mark.parametrize(
    "script",
    [
        "CREATE INDEX new_L IF NOT EXISTS FOR (a:L) ON (a.m)",
        "CREATE CONSTRAINT new_L IF NOT EXISTS FOR (a:L) REQUIRE a.m IS UNIQUE",
    ],
)
def test_concurrent_setups_may_make_the_same_index(constrained, script):
    async def run() -> None:
        await asyncio.gather(*(constrained.graph.run_script(constrained.named(script), {}, 30) for _ in range(8)))

    asyncio.run(run())
    constrained.setup("DROP INDEX new_L" if "INDEX" in script else "DROP CONSTRAINT new_L")  # which has to be there


def test_a_write_that_breaks_a_constraint_for_good_fails(constrained, monkeypatch):
    for limit in ("_WRITE_LIMIT", "_SETUP_LIMIT"):
        monkeypatch.setattr(bolt_retries, limit, bolt_retries.stop_after_attempt(2))
    cypher = constrained.named("CREATE (a:L {n: 1})")
    assert "Constraint" in failure(lambda: asyncio.run(constrained.graph.write(cypher)))
    assert "Constraint" in failure(lambda: constrained.setup("CREATE (a:L {n: 1})"))


def test_a_write_returns_its_rows(subject):
    rows = asyncio.run(subject.graph.write(subject.named("MERGE (a:L {n: $n}) RETURN a.n AS n"), {"n": 3}))
    assert rows == [{"n": 3}]
    assert subject.rows("MATCH (a:L) RETURN a.n AS n") == rows


def test_the_statements_of_a_script_run_in_order(subject):
    subject.setup(
        """
        // a name with a semicolon, ';'
        CREATE (:L {name: 'a;b', n: $n});
        MATCH (a:L) SET a.n = a.n + 1;
        UNWIND range(1, 3) AS i CALL (i) { CREATE (:L {n: i * 10}) } IN TRANSACTIONS OF 1 ROWS;
        """,
        n=1,
    )
    assert [row["n"] for row in subject.rows("MATCH (a:L) RETURN a.n AS n ORDER BY n")] == [2, 10, 20, 30]


def test_a_script_stops_at_its_first_error_and_counts_it(subject):
    complaint = failure(lambda: subject.setup("CREATE (:L {n: 1}); CREATE (:L {n: 1/0}); CREATE (:L {n: 3})"))
    assert complaint.startswith("statement 2 of 3: ")
    assert subject.rows("MATCH (a:L) RETURN a.n AS n") == [{"n": 1}]


def test_a_script_has_limited_time(subject):
    script = "RETURN 1; UNWIND range(1, 2000000) AS x UNWIND range(1, 60) AS y RETURN count(*)"

    async def connected_then_limited() -> None:  # connecting counts, and may alone take longer on a busy machine
        await subject.graph.ping()
        await subject.graph.run_script(script, {}, 1)

    complaint = failure(lambda: asyncio.run(connected_then_limited()))
    assert complaint.startswith("statement 2 of 2: ")


def test_a_graph_that_answers_is_pinged_in_silence(subject):
    assert asyncio.run(subject.graph.ping()) is None


def unreachable(address: GraphAddress) -> str:
    return failure(lambda: asyncio.run(connect(address).ping()), ServiceUnreachable)


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_a_server_that_is_not_there_names_the_address_setting(host):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = GraphAddress(f"bolt://{host}:{free.getsockname()[1]}", variables="NEO")
        assert "NEO_URI" in unreachable(address)
        graph = connect(address)
        assert host in failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)), InfrastructureError)


def test_a_server_of_another_kind_names_the_address_setting(monkeypatch):
    monkeypatch.setattr(bolt, "_PING_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = GraphAddress(f"bolt://127.0.0.1:{silent.getsockname()[1]}", variables="STOIC_GRAPH")
        assert "STOIC_GRAPH_URI" in unreachable(address)


def test_a_wrong_password_names_the_credential_settings(subject):
    address = replace(subject.address, username="nobody", password="tr0ub4dor", variables="NEO")
    complaint = unreachable(address)
    assert "NEO_USERNAME and NEO_PASSWORD" in complaint
    assert "tr0ub4dor" not in complaint
    graph = connect(address)
    failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)), InfrastructureError)


def test_a_wrong_database_names_its_setting(subject):
    address = replace(subject.address, database="nosuchdatabase", variables="NEO")
    assert "NEO_DATABASE" in unreachable(address)
    graph = connect(address)
    failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)), InfrastructureError)


def test_the_database_without_data_names_its_setting(neo4j_address):
    complaint = unreachable(replace(neo4j_address, database="system", variables="NEO"))
    assert complaint.startswith("the database system of bolt://")
    assert complaint.endswith("name another in NEO_DATABASE")


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_certificate_that_is_not_trusted_names_the_ways_out(certified, monkeypatch, scheme):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    url, certificate = certified
    address = GraphAddress(url.replace("https", f"{scheme}+s"), variables="NEO")
    complaint = unreachable(address)
    assert "not trusted: " in complaint
    assert "set SSL_CERT_FILE to a file of PEM certificates" in complaint
    assert f"or write NEO_URI with {scheme}+ssc, which trusts every certificate" in complaint
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert "not trusted" not in unreachable(address)


@pytest.mark.long
def test_a_server_that_answers_nobody_is_not_the_fault_of_the_query_and_is_replaced(tmp_path, monkeypatch):
    for module in (bolt, bolt_sessions):
        monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(embedded_graph, "_ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(process_identity, "_GRACE_SECONDS", 0.1)

    def find_again() -> BoltServer:
        server = embedded_graph.rejoin(tmp_path)
        return BoltServer(server.address("subject"), server.observer())

    async def run(graph: Graph) -> list[dict[str, object]]:
        with pytest.raises(InfrastructureError, match="no longer answers"):
            await graph.observe("RETURN 1 AS n", {}, 0.1, 1)
        return await graph.observe("RETURN 1 AS n", {}, 5, 1)

    with embedded_graph.embedded_graph(tmp_path) as server:
        os.kill(server.pid, signal.SIGSTOP)
        graph = connect(server.address("subject"), server.observer(), find_again)
        assert asyncio.run(run(graph)) == [{"n": 1}]
