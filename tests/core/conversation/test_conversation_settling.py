"""Agents that write after they have replied: `settleSeconds` after the conversation they are looked at."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.chat import ModelFailure
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.trials import hold_all
from stoic_assets.core.jobs.plan import plan

Make = Callable[..., Any]
SOON, LONGER = 0.02, 0.06
"""A write that an agent still makes, and a wait in which it is made: seconds, simulated."""
NEVER = 3600.0
LATE = {"context": "late"}


def writes_late(agent: Any, graph: Any, message: str, seconds: float, then: Any = None) -> None:
    """Lets the agent answer `message` with `then`, and write to graph and object context so many seconds later."""

    def write() -> None:
        graph.rows, agent.context = [{"count": 2}], LATE

    def answer(said: str) -> Any:
        if said == message:
            asyncio.get_running_loop().call_later(seconds, write)
            return then
        return None

    graph.rows, agent.answer = [{"count": 1}], answer


@pytest.mark.parametrize(("settle", "write", "count"), [(LONGER, SOON, 2), (0, NEVER, 1), (SOON, NEVER, 1)])
def test_graph_and_object_context_are_seen_as_they_are_after_the_wait(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, graph: Any, settle: float, write: float, count: int
) -> None:
    writes_late(agent, graph, "And the weather?", write)
    evidence = simulated(hold_trial(planned(settleSeconds=settle), make_world(), make_journal()))
    query, context = evidence.observations
    assert query.result == [{"count": count}]
    assert (context.result == LATE) is (count == 2)
    assert evidence.outcome == "signed_off"


@pytest.mark.parametrize("fault", ["agent", "user"])
def test_a_trial_that_failed_waits_too(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, graph: Any, user: Any, fault: str
) -> None:
    writes_late(agent, graph, "Hi", SOON, AgentFailure("cannot", final=True) if fault == "agent" else None)
    user.says = lambda request: ModelFailure("no model")
    item = planned(greetings=["Hi"], settleSeconds=LONGER)
    evidence = simulated(hold_trial(item, make_world(), make_journal()))
    assert evidence.outcome == ("agent_error" if fault == "agent" else "evaluator_error")
    assert [seen.result for seen in evidence.observations] == [[{"count": 2}], LATE]


def test_the_wait_is_neither_the_trials_time_nor_a_replys(planned: Make, make_world: Make, make_journal: Make) -> None:
    item = planned(trialTimeoutSeconds=0.4, settleSeconds=0.5)
    evidence = simulated(hold_trial(item, make_world(), make_journal()))
    assert (evidence.outcome, evidence.detail) == ("signed_off", None)
    assert sum(turn.response_ms for turn in evidence.turns) == 0


def test_no_late_write_reaches_the_next_trial_that_shares_the_graph(
    make_job: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    """Not even that of a job without assertions."""
    done: list[str] = []

    def answer(said: str) -> None:
        if said == "Hi":
            asyncio.get_running_loop().call_later(SOON, done.append, "write")

    agent.answer = answer
    world = make_world(on_query=lambda trial, cypher: done.append(f"{cypher} {trial.repeat}"))
    job = make_job(
        facts=[], assertions=[], setups=[{"cypher": "DELETE"}], repeats=2, settleSeconds=LONGER, maxTurns=1,
        greetings=["Hi"],
    )  # fmt: skip
    simulated(
        hold_all(plan([job], "E"), lambda item: hold_trial(item, world, make_journal()), 9, lambda _: nullcontext())
    )
    assert done == ["DELETE 1", "write", "DELETE 2", "write"]


def test_a_trial_that_is_cut_off_while_it_waits_says_nothing_twice_and_waits_again(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, graph: Any
) -> None:
    async def cut_off(journal: Any) -> None:
        def on_turn(trial: Any, turn: Any) -> None:
            if turn.turn == 6:
                asyncio.get_running_loop().call_later(SOON, held.cancel)

        held = asyncio.create_task(hold_trial(planned(settleSeconds=NEVER), make_world(on_turn=on_turn), journal))
        await held

    journal = make_journal()
    with pytest.raises(asyncio.CancelledError):
        simulated(cut_off(journal))
    assert graph.observed == []
    assert journal.kinds() == ["began", "session", *["turn"] * 7]

    told = agent.messages()
    writes_late(agent, graph, "context", SOON)
    evidence = simulated(hold_trial(planned(settleSeconds=LONGER), make_world(), journal))
    assert (evidence.outcome, len(evidence.turns), agent.messages()) == ("signed_off", 7, told)
    assert evidence.trial.attempt == 1
    assert [seen.result for seen in evidence.observations] == [[{"count": 2}], LATE]
