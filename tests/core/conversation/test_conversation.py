"""The course of a conversation, from the greeting to the end, and what the simulated user is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from held_trials import contents

from stoic_assets.core.jobs.plan import plan

Make = Callable[..., Any]
SIGN_OFF = "So Long, and Thanks for All the Fish"
CONTEXT = {"context": "", "resources": [], "functions": []}


def test_a_conversation_from_greeting_to_sign_off(
    hold: Make, planned: Make, make_world: Make, agent: Any, graph: Any
) -> None:
    seen: list[int] = []
    agent.answer = lambda message: asyncio.sleep(0.25)
    world = make_world(on_turn=lambda trial, turn: seen.append(turn.turn))
    evidence = hold(planned(greetings=["Salve"]), world)
    assert evidence.outcome == "signed_off"
    assert evidence.detail is None
    assert contents(evidence) == [
        "Salve", "You said: Salve", "What time is it?", "You said: What time is it?", "And the weather?",
        "You said: And the weather?", SIGN_OFF,
    ]
    assert [turn.turn for turn in evidence.turns] == seen == list(range(7))
    assert [turn.speaker for turn in evidence.turns] == ["user", "agent"] * 3 + ["user"]
    assert agent.sent == [("s1", "alice", text) for text in ("Salve", "What time is it?", "And the weather?")]
    assert evidence.turns[1].events == ({"output": "Salve"},)
    assert evidence.turns[1].attempts == 1
    assert evidence.turns[1].response_ms == 250
    assert (evidence.turns[0].attempts, evidence.turns[0].response_ms) == (0, 0.0)
    assert (evidence.session_id, evidence.failure_count, evidence.evaluator_model) == ("s1", 0, "sage")
    assert evidence.started_at < evidence.ended_at
    assert [(seen.assertion, seen.result) for seen in evidence.observations] == [
        ("2", [{"count": 1}]), ("objectContext", CONTEXT),
    ]
    assert graph.observed[0][1] == {"user": "alice"}


def test_the_greeting_is_chosen_by_dice_that_always_fall_the_same(
    hold: Make, make_world: Make, make_job: Make
) -> None:
    def greetings(evaluation: str) -> list[str]:
        return [hold(each, make_world()).turns[0].content for each in plan([make_job(repeats=8)], evaluation)]

    first = greetings("E1")
    assert first == greetings("E2")
    assert len(set(first)) > 1
    assert set(first) <= {"Hello", "Hi", "Greetings", "Yo", "Hey"}


@pytest.mark.parametrize(
    ("most", "turns", "outcome"),
    [(1, 2, "max_turns"), (2, 2, "max_turns"), (3, 4, "max_turns"), (4, 4, "max_turns"), (5, 6, "max_turns"),
     (6, 6, "max_turns"), (7, 7, "signed_off"), (20, 7, "signed_off")],
)
def test_the_turn_limit_counts_messages_before_the_user_speaks(
    hold: Make, planned: Make, make_world: Make, agent: Any, most: int, turns: int, outcome: str
) -> None:
    evidence = hold(planned(maxTurns=most), make_world())
    assert (len(evidence.turns), evidence.outcome) == (turns, outcome)
    assert evidence.observations, "looked at all the same"
    assert len(agent.sent) == turns // 2


def test_the_default_limit_is_the_greeting_and_nine_more_pairs(
    hold: Make, planned: Make, make_world: Make, user: Any
) -> None:
    user.lines = [f"Again, for the {number}th time" for number in range(50)]
    evidence = hold(planned(), make_world())
    assert (len(evidence.turns), evidence.outcome) == (20, "max_turns")
    assert len(user.requests) == 9


def test_a_sign_off_ends_it_in_any_case_and_is_kept_from_the_agent(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any
) -> None:
    user.lines = ["a", "b", "Well then: so long, and THANKS for all the fish!"]
    evidence = hold(planned(), make_world())
    assert contents(evidence)[-1] == user.lines[2]
    assert agent.messages()[1:] == ["a", "b"]


def test_an_agent_that_asks_before_it_acts_is_answered_even_in_the_last_message(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any
) -> None:
    agent.answer = lambda message: "Shall I?" if message == "Cancel it" else None
    user.lines = ["Hello again", "Cancel it", f"Yes, please. {SIGN_OFF}"]
    evidence = hold(planned(), make_world())
    assert contents(evidence)[-2:] == [f"Yes, please. {SIGN_OFF}", "You said: Yes, please."]
    assert (evidence.outcome, agent.messages()[-1]) == ("signed_off", "Yes, please.")
    assert len(user.requests) == 3, "after that the user is asked nothing"


def test_neither_a_greeting_nor_the_agent_can_sign_off(
    hold: Make, planned: Make, make_world: Make, agent: Any
) -> None:
    agent.answer = lambda message: SIGN_OFF if message == SIGN_OFF else None
    evidence = hold(planned(greetings=[SIGN_OFF]), make_world())
    assert len(evidence.turns) == 7
    assert agent.messages()[0] == SIGN_OFF


def test_a_scenario_is_one_message_and_needs_no_evaluator(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any
) -> None:
    scenarios = [{"id": "a", "category": "c", "input": f"I give up. {SIGN_OFF}", "expected": {"tone": "calm"}}]
    evidence = hold(planned(scenarios=scenarios, facts=[]), make_world())
    assert (evidence.outcome, evidence.trial.scenario) == ("signed_off", "a")
    assert agent.messages() == [f"I give up. {SIGN_OFF}"]
    assert (len(evidence.turns), user.requests) == (2, [])


def test_no_withheld_fact_is_in_any_request_and_every_supplied_one_is(
    hold: Make, planned: Make, make_world: Make, user: Any
) -> None:
    facts = ["The user's timezone is Australia/Sydney", "She keeps bees"]
    hold(planned(), make_world())
    assert not any(fact in user.told() for fact in facts)
    user.requests.clear()
    hold(planned("supplied"), make_world())
    assert user.requests
    for request in user.requests:
        assert all(fact in request.messages[0]["content"] for fact in facts)
