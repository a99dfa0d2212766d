"""An agent that turns messages away: everybody's, which ends the evaluation, or one alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable, StoicError

Make = Callable[..., Any]

TURNED_AWAY = AgentFailure("nobody there", turned_away=True)
FORBIDDEN = AgentFailure("forbidden", final=True, turned_away=True)
BUSY = AgentFailure("busy", busy=True)


@pytest.mark.parametrize(
    ("fault", "probe"),
    [
        (TURNED_AWAY, TURNED_AWAY), (FORBIDDEN, TURNED_AWAY), (TURNED_AWAY, BUSY), (BUSY, None),
        (FORBIDDEN, ConfigurationError("forbidden: the key")),
    ],
)
@pytest.mark.parametrize("place", ["open", "Hi", "What time is it?", "context"])
def test_an_agent_that_turns_everybody_away_ends_the_evaluation_and_the_next_run_goes_on(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, place: str, fault: Exception,
    probe: Exception | None,
) -> None:
    trial, journal = planned(greetings=["Hi"]), make_journal()
    agent.answer = lambda message: fault if message == place else probe if message == "probe" else None
    with pytest.raises(StoicError, match=str(fault)) as caught:
        simulated(hold_trial(trial, make_world(), journal))
    assert isinstance(caught.value, ServiceUnreachable | ConfigurationError)
    assert "ended" not in journal.kinds()
    agent.answer = lambda message: None
    journal = make_journal(journal.entries())
    evidence = simulated(hold_trial(trial, make_world(), journal))
    assert (evidence.outcome, evidence.failure_count, len(evidence.turns)) == ("signed_off", 0, 7)
    assert journal.kinds().count("session") == 1, "it did not begin anew"


def patient(world: World) -> World:
    """That waits as long as the agent wishes, with the usual two minutes for a turn."""
    return replace(world, settings=Settings.model_validate({"limits": {"agent": {"longest_wait_seconds": 3600}}}))


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("place", ["open", "Hi", "What time is it?"])
def test_a_trial_without_time_for_another_attempt_hides_no_agent_that_turns_everybody_away(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, place: str, busy: bool
) -> None:
    away, journal = AgentFailure("nobody there", busy=busy, turned_away=True, retry_after=900.0), make_journal()
    agent.answer = lambda message: away if message in (place, "probe") else None
    advice = "wait, or raise its limit" if busy else "get it running again"
    with pytest.raises(ServiceUnreachable, match=f"nobody there; {advice}$"):
        simulated(hold_trial(planned(greetings=["Hi"], trialTimeoutSeconds=60), patient(make_world()), journal))
    assert "ended" not in journal.kinds()


def test_an_outage_whose_message_says_what_to_do_gets_no_second_advice(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    away = AgentFailure("nothing there; check its address", turned_away=True)
    away.says_how_to_go_on = True
    agent.answer = lambda message: away
    with pytest.raises(ServiceUnreachable, match=r"nothing there; check its address$") as outage:
        simulated(hold_trial(planned(greetings=["Hi"]), make_world(), make_journal()))
    assert outage.value.says_how_to_go_on


@pytest.mark.parametrize("left", [[], [AgentFailure("starting", turned_away=True)], [AgentFailure("busy", busy=True)]])
@pytest.mark.parametrize("kind", [{"busy": True}, {"turned_away": True}, {}])
def test_an_agent_that_serves_others_is_judged_by_the_time_of_its_trial(
    hold: Make, planned: Make, make_world: Make, agent: Any, kind: dict[str, bool], left: list[AgentFailure]
) -> None:
    late, left = AgentFailure("not now", retry_after=900.0, **kind), list(left)
    agent.answer = lambda message: late if "time" in message else left.pop() if message == "probe" and left else None
    evidence = hold(planned(greetings=["Hi"], trialTimeoutSeconds=60), patient(make_world()))
    assert (evidence.outcome, evidence.detail) == ("agent_error", "the trial took longer than 60 s")
    assert (evidence.failure_count, len(evidence.observations)) == (0, 2)


@pytest.mark.parametrize("probe", [None, AgentFailure("a fault of its own")])
@pytest.mark.parametrize("fault", [FORBIDDEN, TURNED_AWAY])
def test_an_agent_that_turns_one_message_away_ends_one_trial(
    hold: Make, planned: Make, make_world: Make, agent: Any, fault: Exception, probe: Exception | None
) -> None:
    agent.answer = lambda message: fault if "time" in message else probe if message == "probe" else None
    evidence = hold(planned(), make_world())
    assert (evidence.outcome, evidence.detail) == ("agent_error", str(fault))


def test_an_agent_that_a_message_brings_down_is_at_fault(
    hold: Make, planned: Make, make_world: Make, agent: Any
) -> None:
    left = [AgentFailure("dropped")]
    agent.answer = lambda message: None if message in ("open", "Hi") else left.pop() if left else TURNED_AWAY
    evidence = hold(planned(greetings=["Hi"]), make_world())
    assert (evidence.outcome, evidence.failure_count) == ("agent_error", 4)
    assert evidence.observations[1].error == "the object context could not be fetched: nobody there"
