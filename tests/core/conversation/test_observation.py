import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.evidence import Observation
from stoic_assets.core.conversation.observation import capture, knows_session
from stoic_assets.core.errors import InfrastructureError, QueryError

Make = Callable[..., Any]


def look(planned: Any, world: Any, session: str | None = "s1") -> list[Observation]:
    return asyncio.run(capture(planned.trial, planned.job, session, world))


def test_queries_of_the_condition_run_with_the_parameters_that_they_use(
    planned: Make, make_world: Make, graph: Any
) -> None:
    assertions = [
        {"cypher": "RETURN $session + $own", "expected": "x", "name": "named", "parameters": {"own": 1, "unused": 2}},
        {"expression": "evaluation.done"},
        {"cypher": "RETURN $user", "expected": "x", "condition": "withheld"},
        {"cypher": "RETURN $trial", "expected": "x", "condition": "supplied"},
        {"cypher": "RETURN $user", "expected": "x", "parameters": {"user": "bob"}},
        {"cypher": "RETURN 1 // $user", "expected": 1},
    ]
    seen = look(planned(assertions=assertions), make_world(query_timeout_seconds=3, query_rows=7))
    assert [(each.assertion, each.text, each.parameters) for each in seen[:-1]] == [
        ("named", "RETURN $session + $own", {"session": "s1", "own": 1}), ("3", "RETURN $user", {"user": "alice"}),
        ("5", "RETURN $user", {"user": "bob"}), ("6", "RETURN 1 // $user", {}),
    ]
    assert [each[2:] for each in graph.observed] == [(3.0, 7)] * 4
    assert [each.parameters for each in seen[:-1]] == [each[1] for each in graph.observed]


def test_without_a_session_only_the_graph_is_asked(planned: Make, make_world: Make, graph: Any) -> None:
    queries = [{"cypher": cypher, "expected": 1} for cypher in ("RETURN $session", "RETURN $user")]
    told: list[str] = []
    seen = look(planned(assertions=queries), make_world(on_query=lambda trial, cypher: told.append(cypher)), None)
    assert [(each.assertion, each.parameters) for each in seen] == [("1", {}), ("2", {"user": "alice"})]
    assert [each.error for each in seen] == ["no session was opened, so that `$session` has no value", None]
    assert [each[0] for each in graph.observed] == told == ["RETURN $user"]


def test_a_query_at_fault_keeps_its_error_and_the_others_their_rows(
    planned: Make, make_world: Make, graph: Any
) -> None:
    class Picky(type(graph)):  # type: ignore[misc]
        async def observe(self, cypher: str, *rest: Any) -> list[dict[str, Any]]:
            if cypher == "bad":
                raise QueryError("syntax error")
            return [{"n": 1}]

    assertions = [{"cypher": cypher, "expected": 1} for cypher in ("bad", "good")]
    seen = look(planned(assertions=assertions), make_world(graph=Picky()))
    assert [(each.result, each.error) for each in seen[:-1]] == [(None, "syntax error"), ([{"n": 1}], None)]


def test_a_graph_that_is_gone_is_no_observation(planned: Make, make_world: Make, graph: Any) -> None:
    graph.rows = InfrastructureError("gone")
    with pytest.raises(InfrastructureError):
        look(planned(), make_world())


def test_a_protocol_without_object_context_leaves_none(planned: Make, make_world: Make, agent: Any) -> None:
    agent.context = None
    assert look(planned(assertions=[]), make_world()) == []


@pytest.mark.parametrize(
    ("failure", "known"),
    [(None, True), (AgentFailure("down"), True), (AgentFailure("unknown session", final=True), False)],
)
def test_whether_a_session_is_known(make_world: Make, agent: Any, failure: AgentFailure | None, known: bool) -> None:
    agent.answer = lambda message: failure
    assert asyncio.run(knows_session("s1", make_world())) is known
