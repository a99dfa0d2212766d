from collections.abc import Callable
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.conversation.agent import AgentFailure, SentTooMuch
from stoic_assets.core.conversation.evidence import Observation
from stoic_assets.core.conversation.observation import capture, knows_session
from stoic_assets.core.errors import InfrastructureError, QueryError

Make = Callable[..., Any]


def look(planned: Any, world: Any, session: str | None = "s1") -> list[Observation]:
    return simulated(capture(planned.trial, planned.job, session, world))


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
    [
        (None, True), (AgentFailure("down"), True), (AgentFailure("unknown session", final=True), False),
        (SentTooMuch("more than 8 MiB"), True), (AgentFailure("forbidden", final=True, turned_away=True), True),
    ],
)
def test_whether_a_session_is_known(make_world: Make, agent: Any, failure: AgentFailure | None, known: bool) -> None:
    agent.answer = lambda message: failure
    assert simulated(knows_session("s1", make_world())) is known


@pytest.mark.parametrize(
    ("assertions", "failed", "invalid"),
    [
        ([{"expression": "objectContext.entities.isEmpty()"}], False, True),
        ([{"expression": "objectContext.entities.isEmpty()"}], True, False),
        ([{"expression": "objectContext.entities.isEmpty()", "condition": "supplied"}], False, False),
        ([{"expression": "evaluation.done"}, {"cypher": "RETURN 1", "expected": 1}], False, False),
    ],
)
def test_a_context_larger_than_we_take_spoils_the_trial_whose_assertions_are_about_it(
    planned: Make, make_world: Make, agent: Any, assertions: list[dict[str, Any]], failed: bool, invalid: bool
) -> None:
    """That bound is ours: the agent has not failed. It is asked once, since another answer would be as large."""

    def too_much(_: str) -> AgentFailure:
        asked.append("objectContext")
        return SentTooMuch("the agent sends more than 8 MiB at once; raise it")

    asked: list[str] = []
    agent.answer = too_much
    item = planned(assertions=assertions)
    looked = capture(item.trial, item.job, "s1", make_world(), failed)
    said = "the agent sends more than 8 MiB at once; raise it"
    if invalid:
        with pytest.raises(InfrastructureError, match=f"^assertions about the .* cannot be checked: {said}$"):
            simulated(looked)
    else:
        assert simulated(looked)[-1].error == f"the object context could not be fetched: {said}"
    assert asked == ["objectContext"]
