"""What an assertion's query may do, on the embedded server and on Neo4j: read the graph, and nothing else."""

import asyncio
import re
import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.core.errors import QueryError

WRITES = [
    "CREATE (:L {n: 2})",
    "MERGE (:L {n: 2})",
    "MATCH (a:L) SET a.n = 9",
    "MATCH (a:L) SET a.n = 9 RETURN a.n",
    "MATCH (a:L) SET a += {m: 1}",
    "MATCH (a:L) SET a:Other",
    "MATCH (a:L) REMOVE a.n",
    "MATCH (a:L) REMOVE a:L",
    "MATCH (a:L) DELETE a",
    "MATCH (a:L) DETACH DELETE a",
    "MATCH (a:L) CREATE (a)-[:NEW_TYPE]->(a)",
    "FOREACH (i IN [2] | CREATE (:L {n: i}))",
    "UNWIND [2] AS i CALL (i) { CREATE (:L {n: i}) } RETURN i",
    "UNWIND range(2, 4) AS i CALL (i) { CREATE (:L {n: i}) } IN TRANSACTIONS OF 1 ROWS",
]
SCHEMA_WRITES = [
    "CREATE INDEX new_L FOR (a:L) ON (a.m)",
    "CREATE CONSTRAINT new_L FOR (a:L) REQUIRE a.m IS UNIQUE",
    "DROP CONSTRAINT kept_L",
]


def failure(call: Callable[[], object]) -> str:
    """What is said of a query that is refused."""
    with pytest.raises(QueryError) as raised:
        call()
    return str(raised.value)


def state(subject) -> list[object]:
    """All of the label that a write could change, as the account with full rights sees it."""
    nodes = subject.named("MATCH (a:L) RETURN labels(a), properties(a), COUNT { (a)--() }")
    return [asyncio.run(subject.graph.write(nodes)), subject.schema()]


def test_an_assertion_cannot_change_the_graph_as_a_setup_can(constrained):
    for cypher in WRITES:  # over one constraint: making one takes Neo4j half a second
        assert who_changes(constrained, cypher) == ["setup"], cypher
        constrained.setup("MATCH (a:L) DETACH DELETE a; CREATE (:L {n: 1})")


@pytest.mark.parametrize("cypher", ["MATCH (a:L {n: 7}) SET a.n = 9", "MATCH (a:L {n: 7}) DETACH DELETE a RETURN 1"])
def test_what_would_write_has_not_passed_even_where_there_is_nothing_to_change(subject, cypher):
    assert failure(lambda: subject.rows(cypher))


@pytest.mark.parametrize("how", ["EXPLAIN", "profile"])
def test_how_a_query_would_be_answered_may_be_asked(subject, how):
    subject.setup("CREATE (:L {n: 1})")
    before = state(subject)
    subject.rows(f"{how} MATCH (a:L) RETURN a.n AS n")
    assert state(subject) == before


@pytest.mark.parametrize(
    "cypher",
    [
        "MATCH (a:L)\nRETURN a.n AS n;\n",
        "MATCH (a:L) RETURN a.n AS n; // ; done",
        "/* c */ MATCH (a:L) RETURN a.n AS n ;; /* x */",
        "// how\nPROFILE MATCH (a:L) RETURN a.n AS n;",
    ],
)
def test_what_stands_around_a_query_changes_nothing(subject, cypher):
    subject.setup("CREATE (:L {n: 1})")
    assert subject.rows(cypher) == [{"n": 1}]


@pytest.mark.parametrize("cypher", ["RETURN 1 AS n; RETURN 2 AS n", "// RETURN 1", ";", ""])
def test_a_query_is_one_statement(subject, cypher):
    assert failure(lambda: subject.rows(cypher)).startswith("an assertion is one statement")


@pytest.mark.parametrize(
    ("projection", "expected"),
    [
        ("collect(a.error)[0] IS NULL", False),
        ("max(a.error) IS NULL", False),
        ("'boom' IN collect(a.error)", True),
        ("NOT count(a) > 0", False),
        ("count(a) > 1 AND count(a) < 3", True),
        ("CASE WHEN head(collect(a.error)) STARTS WITH 'b' THEN 1 ELSE 2 END", 1),
        ("head(collect(a)).error", "boom"),
        ("collect(a)[0]:Other", False),
    ],
)
def test_what_the_embedded_server_gets_wrong_is_refused_there(subject, projection, expected):
    subject.setup("CREATE (:L {n: 1, error: 'boom'}), (:L {n: 2, error: 'boom'})")
    cypher = f"MATCH (a:L) RETURN {projection} AS found"
    if subject.kind == "neo4j":
        assert subject.rows(cypher) == [{"found": expected}]
        return
    assert "compute it first, as in WITH count(n) AS c" in failure(lambda: subject.rows(cypher))
    assert asyncio.run(subject.graph.write(subject.named(cypher))) != [{"found": expected}], "it need not be refused"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (a:L) WHERE a.m IS NULL AND a.n IN [1, 2] RETURN count(a) AS found", 2),
        ("MATCH (a:L) RETURN count(a) > 0 AS found", True),
        ("MATCH (a:L) RETURN any(x IN collect(a.n) WHERE x = 1 AND x IS NOT NULL) AS found", True),
        ("MATCH (a:L) RETURN size([x IN collect(a.n) WHERE x IN [2]]) AS found", 1),
        ("MATCH (a:L) RETURN sum(CASE WHEN a.n IN [1] AND true THEN 1 ELSE 0 END) AS found", 1),
        ("MATCH (a:L) RETURN CASE WHEN count(a) > 1 THEN 1 IN [1] ELSE false END AS found", True),
        ("MATCH (a:L) RETURN {in: count(a), not: 3 IN [4]} = {in: 2, not: false} AS found", True),
        ("MATCH (a:L) WITH count(a) AS c, max(a.error) AS e RETURN c > 0 AND NOT e IS NULL AS found", True),
        ("MATCH (a:L) WITH head(collect(a)) AS first RETURN first.error AS found", "boom"),
    ],
)
def test_what_is_let_through_is_right_on_either_server(subject, query, expected):
    subject.setup("CREATE (:L {n: 1, error: 'boom'}), (:L {n: 2, error: 'boom'})")
    assert subject.rows(query) == [{"found": expected}]


@pytest.mark.parametrize(
    "value", ["date({year: 0})", "date('+999999999-12-31')", "datetime('9999-12-31T23:30:00-01:00')"]
)
def test_a_value_that_python_cannot_hold_is_the_querys_fault(subject, value):
    subject.setup(f"CREATE (:L {{at: {value}}})")
    told = failure(lambda: subject.rows("MATCH (a:L) RETURN a.at"))
    assert re.fullmatch(r"a returned value cannot be read \(.+\): return toString\(…\) of it", told)
    assert subject.rows("MATCH (a:L) RETURN toString(a.at) AS at")[0]["at"][-3:]
    [row] = subject.rows("MATCH (a:L) RETURN a, [a.at] AS list")
    assert row["list"] == [row["a"]["value"]["at"]]
    assert row["list"][0]["$type"] == "unsupported"
    assert "object at" not in row["list"][0]["value"]


def test_a_database_that_only_the_query_names_is_its_own_fault(subject):
    failure(lambda: subject.rows("USE nowhere MATCH (a:L) RETURN count(a)"))


def test_a_query_that_needs_too_much_memory_is_at_fault(neo4j_address):
    graph = Graph(neo4j_address)
    cypher = "UNWIND range(1, 20000000) AS x RETURN size(collect(x))"
    assert "more memory" in failure(lambda: asyncio.run(graph.observe(cypher, {}, 30, 1)))


@pytest.mark.parametrize("cypher", SCHEMA_WRITES)
def test_an_assertion_cannot_change_the_schema_as_a_setup_can(constrained, cypher):
    assert who_changes(constrained, cypher) == ["setup"]


def who_changes(graph, cypher: str) -> list[str]:
    """Whether a statement writes as an assertion, which is refused, or as a setup."""
    original = state(graph)
    assert failure(lambda: graph.rows(cypher))
    asserted = state(graph)
    graph.setup(cypher)
    changes = {"assertion": asserted != original, "setup": state(graph) != asserted}
    return [who for who, changed in changes.items() if changed]


@pytest.mark.parametrize(
    ("cypher", "clause"),
    [
        ("LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row", "LOAD CSV"),
        (r"LO\u0041D CSV FROM 'file:///etc/passwd' AS row RETURN row", "LOAD CSV"),
        (r"RETURN 1 AS x // \u000a UNION LOAD CSV FROM 'file:///etc/passwd' AS x RETURN x", "LOAD CSV"),
        (r"WITH '\u0027 AS x LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row", "LOAD CSV"),
        ("SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t", "SHOW TRANSACTIONS"),
        ("CALL `dbms`.killConnection('bolt-1')", "CALL dbms.…"),
        ("CALL apoc.load.json('http://127.0.0.1:9/') YIELD value RETURN value", "APOC"),
    ],
)
def test_an_assertion_reaches_nothing_but_the_graph(subject, cypher, clause):
    assert re.search(rf"{clause}.* is not allowed in an assertion", failure(lambda: subject.rows(cypher)))


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE USER evil SET PASSWORD 'longenough1'",
        "ALTER USER observer SET PASSWORD 'longenough1'",
        "DROP USER root",
        "CREATE DATABASE evil",
        "DROP DATABASE neo4j",
    ],
)
def test_an_assertion_does_not_administer_the_server(subject, cypher):
    failure(lambda: subject.rows(cypher))
    rights = ["SHOW USERS", "SHOW DATABASES"]
    seen = [str(asyncio.run(subject.graph.write(show))) for show in rights]
    assert "evil" not in "".join(seen)
    assert subject.address.username in seen[0]


@pytest.mark.parametrize(
    "procedure",
    [
        "merge.node(['{label}'], {n: 2}, {}, {}) YIELD node",
        "apoc.merge.node(['{label}'], {n: 2}, {}, {}) YIELD node",
        "do.when(true, 'CREATE (:{label} {n: 5})', '', {}) YIELD value",
        "db.migrateLegacyTemporals()",
    ],
)
def test_procedures_of_the_embedded_server_that_write_are_refused(embedded, procedure):
    graph, label = Graph(embedded.address("subject"), embedded.observer()), f"Test{uuid.uuid4().hex}"
    cypher = f"CALL {procedure.replace('{label}', label)}"
    assert "Forbidden" in failure(lambda: asyncio.run(graph.observe(cypher, {}, 5, 10)))


def test_not_even_full_rights_read_files_through_the_embedded_server(embedded):
    graph = Graph(embedded.address("subject"))
    for url in ("file:///etc/passwd", "http://127.0.0.1:9/"):
        refusal = failure(lambda url=url: asyncio.run(graph.write(f"LOAD CSV FROM '{url}' AS row RETURN row")))
        assert "disabled" in refusal


def test_the_observer_sees_the_subject_database_alone(embedded):
    elsewhere = replace(embedded.observer(), database="stoic")
    graph = Graph(embedded.address("stoic"), elsewhere)
    assert "Forbidden" in failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)))
