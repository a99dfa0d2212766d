"""Whose time a trial takes: the agent's, the simulated user's or nobody's."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.queueing import queueing
from stoic_assets.core.conversation.conversation import hold_trial

Make = Callable[..., Any]


def test_a_turn_that_takes_too_long_is_the_agents_fault(
    hold: Make, planned: Make, make_world: Make, agent: Any
) -> None:
    agent.answer = lambda message: asyncio.sleep(5) if "time" in message else None
    evidence = hold(planned(), make_world(turn_timeout_seconds=0.02))
    assert (evidence.outcome, evidence.failure_count) == ("agent_error", 1)
    assert evidence.detail == "the agent gave no reply within 0.02 s"


@pytest.mark.parametrize(
    ("slow", "outcome"), [("agent", "agent_error"), ("user", "evaluator_error")],
)
def test_a_trial_that_takes_too_long_is_the_fault_of_who_was_waited_for(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any, slow: str, outcome: str
) -> None:
    if slow == "agent":
        agent.answer = lambda message: asyncio.sleep(5) if "time" in message else None
    else:
        user.says = lambda request: asyncio.sleep(5)
    evidence = hold(planned(trialTimeoutSeconds=0.05), make_world())
    assert (evidence.outcome, evidence.detail) == (outcome, "the trial took longer than 0.05 s")
    assert (len(evidence.observations), evidence.failure_count) == (2, 0)


def test_the_time_of_setups_is_charged_to_nobody(
    hold: Make, planned: Make, make_world: Make, agent: Any, graph: Any
) -> None:
    graph.run_script = lambda *_: asyncio.sleep(0.1)
    trial = planned(trialTimeoutSeconds=0.08, setups=[{"cypher": "RETURN 1"}, {"cypher": "RETURN 2"}])
    assert hold(trial, make_world()).outcome == "signed_off"
    agent.answer = lambda message: asyncio.sleep(5) if message == "open" else None
    assert hold(trial, make_world()).outcome == "agent_error"


@pytest.mark.parametrize(("seconds", "outcome"), [(3, "evaluator_error"), (4, "agent_error")])
def test_an_agent_that_took_half_of_the_time_is_at_fault_whoever_was_waited_for(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, user: Any, seconds: float,
    outcome: str,
) -> None:  # fmt: skip
    agent.answer = lambda message: asyncio.sleep(seconds) if message == "Hi" else None
    user.says = lambda request: asyncio.sleep(9)
    trial = planned(greetings=["Hi"], trialTimeoutSeconds=8)
    evidence = simulated(hold_trial(trial, make_world(), make_journal()))
    assert (evidence.outcome, evidence.turns[1].response_ms) == (outcome, seconds * 1000)


class Queue:
    """A limit of ours at which every request of the agent waits so long; models may wait there too."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    @asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        await self.wait()
        yield

    async def wait(self) -> None:
        with queueing():
            await asyncio.sleep(self._seconds)


def test_queueing_for_our_own_limits_is_charged_to_nobody(
    hold: Make, planned: Make, make_world: Make, user: Any
) -> None:
    queue = Queue(0.06)
    user.says = lambda request: queue.wait()
    evidence = hold(planned(trialTimeoutSeconds=0.1), make_world(agent_limit=queue))
    assert evidence.outcome == "signed_off"
    assert max(turn.response_ms for turn in evidence.turns) == 0


def test_a_slow_disk_is_charged_to_nobody(
    planned: Make, make_world: Make, make_journal: Make
) -> None:
    journal = make_journal()
    add = journal.append

    async def append(entry: Any) -> None:
        await asyncio.sleep(0.4)
        await add(entry)

    journal.append = append
    evidence = simulated(hold_trial(planned(trialTimeoutSeconds=1), make_world(), journal))
    assert (evidence.outcome, evidence.detail, len(evidence.turns)) == ("signed_off", None, 7)


@pytest.mark.parametrize(("slow", "outcome"), [("agent", "agent_error"), ("user", "evaluator_error")])
def test_after_queueing_the_clock_of_a_trial_goes_on(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any, slow: str, outcome: str
) -> None:
    party = agent if slow == "agent" else user
    setattr(party, "answer" if party is agent else "says", lambda _: asyncio.sleep(5))
    evidence = hold(planned(trialTimeoutSeconds=0.05), make_world(agent_limit=Queue(0.02)))
    assert (evidence.outcome, evidence.detail) == (outcome, "the trial took longer than 0.05 s")
