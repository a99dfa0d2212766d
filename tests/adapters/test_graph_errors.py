import pytest
from neo4j import exceptions

from stoic_assets.adapters import graph_errors
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
    error = graph_errors.meaning(kind("gone\nfor good"), ADDRESS)
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
    assert isinstance(graph_errors.meaning(kind("no"), ADDRESS), QueryError)


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
