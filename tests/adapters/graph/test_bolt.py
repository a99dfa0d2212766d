"""What queries observe over Bolt, in order and in time, and queries that can never run."""

import asyncio
import gc
import socket
import time
from urllib.parse import urlsplit

import pytest
from graph_failures import failure

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.core.errors import QueryError

ENDLESS = "UNWIND range(1, 2000000) AS x UNWIND range(1, 2000000) AS y RETURN count(*) AS n"


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
    graph = Graph(neo4j_address)
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
        graph = Graph(embedded.address("subject"))  # as the `stoic graph` of another home
        try:
            await graph.explain("MATCH (n:Zork) RETURN count(n) AS c")
        finally:
            await graph.aclose()

    assert asyncio.run(explained()) is None


@pytest.mark.parametrize("value", [{1, 2}, 2**63, object()])
def test_a_parameter_that_no_graph_can_hold_is_an_error_of_its_assertion(subject, value):
    assert "parameter" in failure(lambda: subject.rows("RETURN $value", value=value))


def nested(innermost: str, around: str, levels: int) -> str:
    """A query for lists or maps within each other."""
    return f"RETURN reduce(inner = {innermost}, i IN range(2, {levels}) | {around}) AS n"


@pytest.mark.parametrize("kind", [("[]", "[inner]"), ("{}", "{a: inner}")])
def test_a_result_that_is_nested_too_deeply_is_an_error_of_its_assertion(subject, kind):
    for levels in (65, 300, 700):  # encoding 300 would take more calls than Python has, reading 700 too
        told = failure(lambda levels=levels: subject.rows(nested(*kind, levels)))
        assert told == "a returned value has more than 64 levels: return less of it"
    assert str(subject.rows(nested(*kind, 64))[0]["n"]).count(kind[0][0]) == 64


def test_a_setup_that_returns_what_is_nested_too_deeply_is_at_fault(subject):
    told = failure(lambda: subject.setup(nested("[]", "[inner]", 700)))
    assert told == "statement 1 of 1: a returned value has more than 64 levels: return less of it"
    subject.setup("RETURN 1")


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
    assert time.monotonic() - began < 30


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
