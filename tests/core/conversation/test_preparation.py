from collections.abc import Callable
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.retrying import AgentUnusable
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.preparation import prepare
from stoic_assets.core.errors import QueryError

Make = Callable[..., Any]


def run(planned: Any, world: Any) -> str:
    return simulated(prepare(planned.trial, planned.job, world))


def test_setups_come_first_then_seeds_then_the_session(
    planned: Make, make_world: Make, agent: Any, graph: Any
) -> None:
    order: list[str] = []
    agent.answer = lambda message: order.append(f"{message} after {len(graph.scripts)}")
    seeds = [
        {"text": "I am Alice"},
        {"conversation": [
            {"content": "one"}, {"role": "assistant", "content": "no"}, {"role": "system", "content": "no"},
            {"role": "tool", "content": "no"}, {"role": "user", "content": "two"},
        ]},
    ]  # fmt: skip
    setups = [{"cypher": "CREATE (:A {u: $user, v: $agent_version}); MATCH (n) RETURN n"}, {"cypher": "RETURN 2"}]
    session = run(planned(setups=setups, seeds=seeds), make_world(query_timeout_seconds=3))
    assert order == [f"{message} after 2" for message in ("open", "I am Alice", "open", "one", "two", "open")]
    assert agent.sent == [("s1", "alice", "I am Alice"), ("s2", "alice", "one"), ("s2", "alice", "two")]
    assert session == "s3"
    known = {"user": "alice", "trial": "E.chat.withheld.1", "agent_version": "marcus@1.1.0"}
    assert graph.scripts == [(setup["cypher"], known, 3.0) for setup in setups]


def test_whoever_watches_is_told_setups_and_what_seeds_say_and_are_answered(planned: Make, make_world: Make) -> None:
    told: list[str] = []
    world = make_world(
        on_turn=lambda trial, turn: told.append(f"{turn.speaker}: {turn.content} {len(turn.events)}"),
        on_query=lambda trial, cypher: told.append(cypher),
    )
    run(planned(setups=[{"cypher": "CREATE (:A)"}], seeds=[{"text": "I am Alice"}]), world)
    assert told == ["CREATE (:A)", "user: I am Alice 0", "agent: You said: I am Alice 1"]


def test_a_setup_that_asks_for_the_session_gets_the_one_of_the_conversation(
    planned: Make, make_world: Make, agent: Any, graph: Any
) -> None:
    setups = [{"cypher": "MATCH (n) DETACH DELETE n"}, {"cypher": "CREATE (:A {s: $session})"}]
    session = run(planned(setups=setups, seeds=[{"text": "seed"}]), make_world())
    assert (session, agent.opened) == ("s1", ["s1", "s2"])
    assert agent.sent == [("s2", "alice", "seed")]
    assert [parameters["session"] for _, parameters, _ in graph.scripts] == ["s1", "s1"]


def test_a_session_in_a_comment_or_a_text_is_not_asked_for(planned: Make, make_world: Make, graph: Any) -> None:
    run(planned(setups=[{"cypher": "RETURN '$session' // $session"}]), make_world())
    assert "session" not in graph.scripts[0][1]


def test_a_faulty_setup_ends_it_before_the_next(planned: Make, make_world: Make, agent: Any, graph: Any) -> None:
    graph.fault = QueryError("syntax error")
    with pytest.raises(QueryError):
        run(planned(setups=[{"cypher": "x"}, {"cypher": "y"}], seeds=[{"text": "seed"}]), make_world())
    assert (len(graph.scripts), agent.opened) == (1, [])


@pytest.mark.parametrize("place", ["open", "seed"])
def test_an_agent_that_fails_here_is_tried_again_then_unusable(
    planned: Make, make_world: Make, agent: Any, place: str
) -> None:
    left = [AgentFailure("down")] * 3
    agent.answer = lambda message: left.pop() if message == place and left else None
    assert run(planned(seeds=[{"text": "seed"}]), make_world())
    assert left == []
    agent.answer = lambda message: AgentFailure("down") if message == place else None
    with pytest.raises(AgentUnusable, match="down"):
        run(planned(seeds=[{"text": "seed"}]), make_world())
