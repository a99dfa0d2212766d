"""In simulated time, with the usual settings: an agent that nobody reaches for some seconds loses nothing by it."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.errors import ServiceUnreachable
from stoic_assets.core.jobs.plan import plan

Make = Callable[..., Any]
EVER = 3600.0


class Outages:
    """Nobody reaches the agent for so many seconds from a message on, the first time or `every` time that it comes.

    An agent that `forgets` knows no earlier session after that; a test request shows that it is back. Where a port is
    `forwarded`, messages are hung up on; in `company`, while others were on their way.
    """

    def __init__(
        self, agent: Any, message: str, seconds: float, every: bool = False, forgets: bool = False,
        forwarded: bool = False, company: bool = False,
    ) -> None:
        self.agent, self.message, self.seconds, self.every, self.forgets = agent, message, seconds, every, forgets
        self.forwarded, self.company = forwarded, company
        self.over, self.came = -1.0, 0
        agent.answer = self.answer

    def answer(self, message: str) -> AgentFailure | None:
        now = asyncio.get_running_loop().time()
        struck = message == self.message and now >= self.over and (self.every or not self.came)
        if struck:
            self.came, self.over = self.came + 1, now + self.seconds
        if struck or now < self.over:
            hung_up = self.forwarded and message == self.message
            failure = AgentFailure("nobody there", turned_away=not hung_up, hung_up=hung_up)
            failure.in_company = self.company
            return failure
        if self.forgets and message == "probe":
            self.agent.forgets, self.agent.opened[:] = True, ["another"] * len(self.agent.opened)
        return None


@pytest.fixture
def usual(make_world: Make) -> Any:
    """A world with the usual settings."""
    return replace(make_world(), settings=Settings())


PLACES = ["open", "a seed", "Hi", "What time is it?", "context"]


@pytest.mark.parametrize("seconds", [1.1, 2.0, 7.5])
@pytest.mark.parametrize("place", PLACES)
def test_an_outage_of_some_seconds_costs_a_message_one_failure_and_nothing_else(
    planned: Make, usual: Any, make_journal: Make, agent: Any, place: str, seconds: float
) -> None:
    outages = Outages(agent, place, seconds)
    trial = planned(greetings=["Hi"], seeds=[{"text": "a seed"}])
    evidence = simulated(hold_trial(trial, usual, make_journal()))
    assert outages.came == 1
    assert (evidence.outcome, len(evidence.turns)) == ("signed_off", 7)
    assert evidence.failure_count == (place == "What time is it?")
    assert [turn.attempts for turn in evidence.turns if turn.speaker == "agent"] == [
        1 + (place == "Hi"), 1 + (place == "What time is it?"), 1,
    ]
    assert evidence.observations[-1].error is None


def test_waiting_for_an_agent_takes_none_of_the_trials_time(
    planned: Make, usual: Any, make_journal: Make, agent: Any
) -> None:
    Outages(agent, "What time is it?", 7.5)
    evidence = simulated(hold_trial(planned(trialTimeoutSeconds=3), usual, make_journal()))
    assert (evidence.outcome, evidence.failure_count) == ("signed_off", 1)


@pytest.mark.parametrize("place", PLACES)
def test_an_agent_that_is_gone_for_good_ends_the_run_once_for_all_trials_after_about_ten_seconds(
    make_job: Make, usual: Any, make_journal: Make, agent: Any, place: str
) -> None:
    async def scene() -> float:
        job = make_job(greetings=["Hi"], seeds=[{"text": "a seed"}], repeats=12)
        trials = [hold_trial(each, usual, journal) for each in plan([job], "E", "withheld")]
        with pytest.raises(ServiceUnreachable, match=r"^nobody there; get it running again$"):
            await concurrently(trials)
        return asyncio.get_running_loop().time()

    journal = make_journal()
    Outages(agent, place, EVER)
    assert 7.5 < simulated(scene()) < 11.5
    assert "ended" not in journal.kinds()


def test_the_wait_for_an_agent_can_be_cut_off(
    planned: Make, usual: Any, make_journal: Make, agent: Any
) -> None:
    async def scene() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3):
                await hold_trial(planned(), usual, make_journal())
        return asyncio.get_running_loop().time()

    Outages(agent, "open", EVER)
    assert simulated(scene()) == pytest.approx(3)


def test_a_message_that_alone_is_turned_away_is_sent_twice_as_often_and_no_more(
    planned: Make, usual: Any, make_journal: Make, agent: Any
) -> None:
    away = AgentFailure("not this one", turned_away=True)
    agent.answer = lambda message: away if "time" in message else None
    evidence = simulated(hold_trial(planned(), usual, make_journal()))
    assert (evidence.outcome, evidence.detail) == ("agent_error", "not this one")
    assert agent.messages().count("What time is it?") == 2 * Settings().limits.agent.attempts


def test_an_agent_that_goes_down_twice_during_one_message_ends_the_run_and_nobody_is_judged_by_it(
    planned: Make, usual: Any, make_journal: Make, agent: Any
) -> None:
    """Perhaps at another trial's message."""
    outages, journal = Outages(agent, "What time is it?", 3.0, every=True), make_journal()
    with pytest.raises(ServiceUnreachable, match="nobody there; get it running again"):
        simulated(hold_trial(planned(), usual, journal))
    assert (outages.came, "ended" in journal.kinds()) == (2, False)


@pytest.mark.parametrize("seconds", [1.1, 7.5, EVER])
def test_an_outage_behind_a_port_that_accepts_connections_all_the_same_is_one(
    planned: Make, usual: Any, make_journal: Make, agent: Any, seconds: float
) -> None:
    Outages(agent, "What time is it?", seconds, forwarded=True)
    trial, journal = planned(), make_journal()
    if seconds == EVER:
        with pytest.raises(ServiceUnreachable, match="nobody there; get it running again"):
            simulated(hold_trial(trial, usual, journal))
        assert "ended" not in journal.kinds()
    else:
        evidence = simulated(hold_trial(trial, usual, journal))
        assert (evidence.outcome, evidence.failure_count) == ("signed_off", 1)


@pytest.mark.parametrize("seconds", [0.0, 3.0])
@pytest.mark.parametrize("company", [True, False])
def test_a_message_that_brings_the_agent_down_is_at_fault_unless_another_may_have(
    planned: Make, usual: Any, make_journal: Make, agent: Any, seconds: float, company: bool
) -> None:
    """It serves others at once, as with several processes, or is started anew."""
    outages = Outages(agent, "What time is it?", seconds, every=True, forwarded=True, company=company)
    journal = make_journal()
    if company and seconds:
        with pytest.raises(ServiceUnreachable, match="nobody there; get it running again"):
            simulated(hold_trial(planned(), usual, journal))
    else:
        evidence = simulated(hold_trial(planned(), usual, journal))
        assert (evidence.outcome, evidence.detail) == ("agent_error", "nobody there")
    assert outages.came >= 2


@pytest.mark.parametrize(("answered", "silent"), [(True, "ever"), (False, "at first"), (False, "ever")])
def test_an_agent_whose_queue_is_full_again_and_again_is_slow_as_long_as_it_answers_anybody(
    planned: Make, usual: Any, make_journal: Make, agent: Any, answered: bool, silent: str
) -> None:
    """The message finds no connection, nor does each test request, at its first attempt or at all."""
    tests = itertools.count()

    def answer(message: str) -> AgentFailure | None:
        full = message == "What time is it?" or (message == "probe" and (next(tests) % 2 == 0 or silent == "ever"))
        return AgentFailure("no connection in time", late=True, turned_away=True) if full else None

    agent.answer, usual.agent_limit.answered = answer, answered
    trial, journal = planned(), make_journal()
    if answered or silent == "at first":
        evidence = simulated(hold_trial(trial, usual, journal))
        assert (evidence.outcome, evidence.detail) == ("agent_error", "no connection in time")
    else:
        with pytest.raises(ServiceUnreachable, match="no connection in time; get it running again"):
            simulated(hold_trial(trial, usual, journal))


def test_trials_whose_sessions_an_outage_cost_begin_anew(
    make_job: Make, usual: Any, make_journal: Make, agent: Any, user: Any
) -> None:
    """That of the message that met the outage, and one whose user was thinking meanwhile."""

    async def scene() -> list[Any]:
        jobs = [make_job(name=name, greetings=[name]) for name in ("Salve", "Ave")]
        trials = zip(plan(jobs, "E", "withheld"), journals, strict=True)
        return await concurrently([hold_trial(trial, usual, journal) for trial, journal in trials])

    journals = [make_journal(), make_journal()]
    user.says = lambda request: asyncio.sleep(30 if "You said: Ave" in str(request.messages) else 5)
    Outages(agent, "What time is it?", 3.0, forgets=True)
    for evidence, journal in zip(simulated(scene()), journals, strict=True):
        assert (evidence.outcome, len(evidence.turns), evidence.failure_count) == ("signed_off", 7, 0)
        assert journal.kinds().count("began") == 2


def test_a_message_that_costs_the_agent_all_sessions_each_time_is_its_own_fault(
    planned: Make, usual: Any, make_journal: Make, agent: Any
) -> None:
    outages, journal = Outages(agent, "What time is it?", 3.0, every=True, forgets=True), make_journal()
    evidence = simulated(hold_trial(planned(), usual, journal))
    assert (evidence.outcome, evidence.detail) == ("agent_error", "unknown session")
    assert (outages.came, journal.kinds().count("began")) == (2, 2)
