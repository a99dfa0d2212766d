import pytest
from neo4j import exceptions

from stoic_assets.adapters.graph import graph_errors
from stoic_assets.core.errors import InfrastructureError, QueryError
from stoic_assets.core.graph_address import GraphAddress

ADDRESS = GraphAddress("bolt://graph.example:7687", variables="NEO")


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
    "kind",
    [
        exceptions.CypherSyntaxError,
        exceptions.ConstraintError,
        exceptions.Forbidden,
        exceptions.ClientError,
        exceptions.DatabaseError,
    ],
)
def test_the_query_is_at_fault(kind):
    assert isinstance(graph_errors.meaning(kind("no"), ADDRESS, "RETURN 1"), QueryError)


def answered(code: str) -> exceptions.Neo4jError:
    """The driver's error for a server's answer with this status code."""
    return exceptions.Neo4jError._hydrate_neo4j(code=code, message="no")


@pytest.mark.parametrize(
    ("cypher", "meant"),
    [("USE nowhere RETURN 1", QueryError), ("RETURN 1 AS used, 'USE x', m.use", InfrastructureError)],
)
def test_a_missing_database_is_the_querys_fault_where_it_names_one(cypher, meant):
    error = answered("Neo.ClientError.Database.DatabaseNotFound")
    assert isinstance(graph_errors.meaning(error, ADDRESS, cypher), meant)


@pytest.mark.parametrize("limit", ["MemoryPoolOutOfMemoryError", "TransactionOutOfMemoryError"])
def test_what_needs_too_much_memory_is_the_querys_fault(limit):
    told = graph_errors.meaning(answered(f"Neo.TransientError.General.{limit}"), ADDRESS, "RETURN 1")
    assert isinstance(told, QueryError)
    assert "more memory" in str(told)


def test_only_conflicts_and_lost_connections_are_worth_another_try():
    assert graph_errors.is_temporary(exceptions.ConstraintError("x"))
    assert graph_errors.is_temporary(exceptions.TransientError("x"))
    assert graph_errors.is_temporary(exceptions.SessionExpired("x"))
    assert not graph_errors.is_conflict(exceptions.SessionExpired("x"))
    assert not graph_errors.is_temporary(exceptions.CypherSyntaxError("x"))


def test_a_long_message_is_cut():
    assert 297 < len(graph_errors.one_line(exceptions.ServiceUnavailable("x " * 2500))) <= 300


def test_the_embedded_graph_has_no_setting_to_correct():
    error = graph_errors.unreachable(exceptions.ServiceUnavailable("gone"), GraphAddress("bolt://127.0.0.1:9"))
    assert "stoic graph --stop" in str(error)
