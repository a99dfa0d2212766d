import pytest
from neo4j import exceptions

from stoic_assets.adapters.graph import graph_errors
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError, QueryError

ADDRESS = GraphAddress("bolt://graph.example:7687", variables="NEO")


def answered(code: str, message: str = "no") -> exceptions.Neo4jError:
    """The driver's error for a server's answer with this status code."""
    return exceptions.Neo4jError._hydrate_neo4j(code=code, message=message)


@pytest.mark.parametrize(
    "kind",
    [
        exceptions.ServiceUnavailable,
        exceptions.SessionExpired,
        exceptions.ConnectionAcquisitionTimeoutError,
        exceptions.AuthError,
        exceptions.TransientError,
        exceptions.DatabaseUnavailable,
    ],
)
def test_our_own_side_is_at_fault(kind):
    error = graph_errors.meaning(kind("gone\nfor good"), ADDRESS, "RETURN 1")
    assert isinstance(error, InfrastructureError)
    assert str(error).startswith("the graph at bolt://graph.example:7687 failed: ")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "code",
    ["Statement.SyntaxError", "Schema.ConstraintValidationFailed", "Security.Forbidden", "Statement.ArithmeticError"],
)
def test_the_query_is_at_fault(code):
    error = answered(f"Neo.ClientError.{code}")
    assert not graph_errors.may_pass(error, ADDRESS)
    assert isinstance(graph_errors.meaning(error, ADDRESS, "RETURN 1"), QueryError)


@pytest.mark.parametrize(
    ("cypher", "meant"),
    [("USE nowhere RETURN 1", QueryError), ("RETURN 1 AS used, 'USE x', m.use", InfrastructureError)],
)
def test_a_missing_database_is_the_querys_fault_where_it_names_one(cypher, meant):
    error = answered("Neo.ClientError.Database.DatabaseNotFound")
    assert isinstance(graph_errors.meaning(error, ADDRESS, cypher), meant)


TOO_LARGE = [
    ("MemoryPoolOutOfMemoryError", "would use more than the limit. db.memory.transaction.max threshold reached"),
    ("TransactionOutOfMemoryError", "no"),
]


@pytest.mark.parametrize(("limit", "message"), TOO_LARGE)
def test_what_needs_more_memory_than_one_query_may_use_is_its_own_fault(limit, message):
    error = answered(f"Neo.TransientError.General.{limit}", message)
    told = graph_errors.meaning(error, ADDRESS, "RETURN 1")
    assert isinstance(told, QueryError)
    assert "more memory" in str(told)
    assert not graph_errors.may_pass(error, ADDRESS)
    assert not graph_errors.is_conflict(error)


@pytest.mark.parametrize("limit", ["dbms.memory.transaction.total.max", "db.memory.transaction.total.max"])
def test_memory_that_others_use_is_not_the_querys_fault(limit):
    error = answered("Neo.TransientError.General.MemoryPoolOutOfMemoryError", f"no. {limit} threshold reached")
    told = graph_errors.meaning(error, ADDRESS, "RETURN 1")
    assert isinstance(told, InfrastructureError)
    assert "raise the server's dbms.memory.transaction.total.max" in str(told)
    assert graph_errors.is_crowded_out(error)


@pytest.mark.parametrize(
    "code",
    [
        "Neo.TransientError.Transaction.Terminated",  # which the driver renames
        "Neo.ClientError.Transaction.Terminated",
        "Neo.ClientError.Transaction.LockClientStopped",
        "Neo.DatabaseError.General.UnknownError",
        "Neo.DatabaseError.Statement.ExecutionFailed",
        "Neo.TransientError.Transaction.DeadlockDetected",
    ],
)
def test_what_the_server_or_somebody_else_ended_is_not_the_querys_fault(code):
    assert graph_errors.may_pass(answered(code), ADDRESS)
    assert isinstance(graph_errors.meaning(answered(code), ADDRESS, "RETURN 1"), InfrastructureError)


def test_an_error_that_the_embedded_server_cannot_name_is_the_querys_fault():
    error = answered("Neo.DatabaseError.General.UnknownError")
    assert isinstance(graph_errors.meaning(error, GraphAddress("bolt://127.0.0.1:9"), "CALL no()"), QueryError)


def test_a_query_that_outlasts_its_limit_is_at_fault():
    code = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
    assert not graph_errors.may_pass(answered(code), ADDRESS)
    assert isinstance(graph_errors.meaning(answered(code), ADDRESS, "RETURN 1"), QueryError)


def test_only_conflicts_and_lost_connections_are_worth_another_try():
    assert graph_errors.is_temporary(exceptions.ConstraintError("x"))
    assert graph_errors.is_temporary(exceptions.TransientError("x"))
    assert graph_errors.is_temporary(exceptions.SessionExpired("x"))
    assert not graph_errors.is_conflict(exceptions.SessionExpired("x"))
    assert not graph_errors.is_temporary(exceptions.CypherSyntaxError("x"))


@pytest.mark.parametrize("what", ["EquivalentSchemaRule", "Index", "Constraint", "IndexWithName", "ConstraintWithName"])
def test_an_index_that_another_setup_makes_at_the_same_moment_is_a_conflict(what):
    assert graph_errors.is_conflict(answered(f"Neo.ClientError.Schema.{what}AlreadyExists"))


def test_a_long_message_is_cut():
    assert 297 < len(graph_errors.one_line(exceptions.ServiceUnavailable("x " * 2500))) <= 300


def test_a_long_syntax_error_keeps_its_place():
    expected = ", ".join(["'OPTIONAL'"] * 50)
    message = f'Invalid input: expected {expected} (line 1, column 37 (offset: 36))\n"EXPLAIN MATCH"\n   ^'
    line = graph_errors.one_line(answered("Neo.ClientError.Statement.SyntaxError", message), "EXPLAIN ")
    assert line.endswith("… (line 1, column 29)")
    assert len(line) <= 300
    assert "column 37" in graph_errors.one_line(answered("x", message))
    assert "column 37" in graph_errors.one_line(answered("x", message.replace("line 1", "line 2")), "EXPLAIN ")


def test_the_embedded_graph_has_no_setting_to_correct():
    error = graph_errors.unreachable(exceptions.ServiceUnavailable("gone"), GraphAddress("bolt://127.0.0.1:9"))
    assert "stoic graph --stop" in str(error)
