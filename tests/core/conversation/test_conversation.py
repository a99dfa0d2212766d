import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from stoic_assets.core.chat import BudgetReached, ModelFailure
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import (
    ConfigurationError,
    InfrastructureError,
    QueryError,
    ServiceUnreachable,
    StoicError,
)
from stoic_assets.core.jobs.plan import Planned, plan
from stoic_assets.core.queueing import queueing
from stoic_assets.core.settings import Settings

Make = Callable[..., Any]
SIGN_OFF = "So Long, and Thanks for All the Fish"
CONTEXT = {"context": "", "resources": [], "functions": []}


@pytest.fixture
def hold(make_journal: Make) -> Callable[[Planned, World], Evidence]:
    """Holds a trial from its beginning."""
    return lambda planned, world: asyncio.run(hold_trial(planned, world, make_journal()))


def contents(evidence: Evidence) -> list[str]:
    return [turn.content for turn in evidence.turns]


def test_a_conversation_from_greeting_to_sign_off(
    hold: Make, planned: Make, make_world: Make, agent: Any, graph: Any
) -> None:
    seen: list[int] = []
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
    assert evidence.turns[1].response_ms > 0
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


def failing(*failures: Any) -> Callable[[str], Any]:
    """Fails at the first attempts of every message that says `time`."""
    left = list(failures)
    return lambda message: left.pop(0) if "time" in message and left else None


@pytest.mark.parametrize(
    ("failures", "count", "attempts", "outcome"),
    [
        ([AgentFailure("down")], 1, 2, "signed_off"),
        ([AgentFailure("down")] * 3, 3, 4, "signed_off"),
        ([AgentFailure("down")] * 4, 4, None, "agent_error"),
        ([AgentFailure("busy", busy=True, retry_after=0.0)] * 6, 0, 7, "signed_off"),
        ([AgentFailure("busy", busy=True), AgentFailure("down")], 1, 3, "signed_off"),
        ([AgentFailure("no such thing", final=True)], 1, None, "agent_error"),
    ],
)
def test_failed_attempts_are_counted_but_not_a_busy_answer(
    hold: Make, planned: Make, make_world: Make, agent: Any, failures: list[AgentFailure], count: int,
    attempts: int | None, outcome: str,
) -> None:
    agent.answer = failing(*failures)
    evidence = hold(planned(), make_world())
    assert (evidence.failure_count, evidence.outcome) == (count, outcome)
    if attempts:
        assert [turn.attempts for turn in evidence.turns if turn.speaker == "agent"] == [1, attempts, 1]
        said = f"{count} attempt{'s' if count > 1 else ''} to send a message failed; the last: down"
        assert evidence.detail == (said if count else None)
    else:
        assert contents(evidence)[-1] == "What time is it?"
        assert evidence.detail == str(failures[-1])


@pytest.mark.parametrize("times", [2, 4])
def test_failures_at_the_greeting_are_not_counted(
    hold: Make, planned: Make, make_world: Make, agent: Any, times: int
) -> None:
    left = [AgentFailure("down")] * times
    agent.answer = lambda message: left.pop() if message == "Salve" and left else None
    evidence = hold(planned(greetings=["Salve"]), make_world())
    assert evidence.failure_count == 0
    assert evidence.outcome == ("agent_error" if times == 4 else "signed_off")
    assert evidence.detail == ("down" if times == 4 else None)


@pytest.mark.parametrize("times", [2, 4])
def test_failures_at_a_scenarios_input_are_counted_for_it_is_no_greeting(
    hold: Make, planned: Make, make_world: Make, agent: Any, times: int
) -> None:
    left = [AgentFailure("down")] * times
    agent.answer = lambda message: left.pop() if message == "Advise me" and left else None
    scenarios = [{"id": "a", "category": "c", "input": "Advise me"}]
    evidence = hold(planned(scenarios=scenarios, facts=[]), make_world())
    assert evidence.failure_count == times
    assert (evidence.outcome == "agent_error") == (times == 4)


@pytest.mark.parametrize("place", ["open", "a seed"])
@pytest.mark.parametrize("times", [2, 4])
def test_failures_before_a_scenarios_input_are_not_counted(
    hold: Make, planned: Make, make_world: Make, agent: Any, place: str, times: int
) -> None:
    left = [AgentFailure("down")] * times
    agent.answer = lambda message: left.pop() if message == place and left else None
    scenarios = [{"id": "a", "category": "c", "input": "Advise me"}]
    evidence = hold(planned(scenarios=scenarios, facts=[], seeds=[{"text": "a seed"}]), make_world())
    assert evidence.failure_count == 0
    assert evidence.outcome == ("agent_error" if times == 4 else "signed_off")


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
        asyncio.run(hold_trial(trial, make_world(), journal))
    assert isinstance(caught.value, ServiceUnreachable | ConfigurationError)
    assert "ended" not in journal.kinds()
    agent.answer = lambda message: None
    journal = make_journal(journal.entries())
    evidence = asyncio.run(hold_trial(trial, make_world(), journal))
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
    with pytest.raises(ServiceUnreachable, match="nobody there; get it running again"):
        asyncio.run(hold_trial(planned(greetings=["Hi"], trialTimeoutSeconds=60), patient(make_world()), journal))
    assert "ended" not in journal.kinds()


def test_an_outage_whose_message_says_what_to_do_gets_no_second_advice(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    away = AgentFailure("nothing there; check its address", turned_away=True)
    away.says_how_to_go_on = True
    agent.answer = lambda message: away
    with pytest.raises(ServiceUnreachable, match=r"nothing there; check its address$") as outage:
        asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), make_journal()))
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


def test_an_agent_that_dies_half_way_is_looked_at_all_the_same(
    hold: Make, planned: Make, make_world: Make, agent: Any, graph: Any
) -> None:
    agent.answer = lambda message: None if message in ("open", "Hi") else AgentFailure("connection refused")
    evidence = hold(planned(greetings=["Hi"]), make_world())
    assert (evidence.outcome, evidence.detail, evidence.failure_count) == ("agent_error", "connection refused", 4)
    assert contents(evidence) == ["Hi", "You said: Hi", "What time is it?"]
    query, context = evidence.observations
    assert (query.assertion, query.result, query.error) == ("2", [{"count": 1}], None)
    assert (context.assertion, context.result) == ("objectContext", None)
    assert context.error == "the object context could not be fetched: connection refused"


def test_an_agent_that_never_opens_a_session_is_at_fault(
    hold: Make, planned: Make, make_world: Make, agent: Any
) -> None:
    agent.answer = lambda message: AgentFailure("connection refused")
    evidence = hold(planned(), make_world())
    assert (evidence.outcome, evidence.session_id, evidence.turns, evidence.failure_count) == ("agent_error", "", (), 0)
    assert [seen.assertion for seen in evidence.observations] == ["2"]


@pytest.mark.parametrize("error", [ModelFailure("the model is down"), "", "My timezone is Australia/Sydney"])
def test_a_simulated_user_that_fails_is_no_fault_of_the_agent(
    hold: Make, planned: Make, make_world: Make, user: Any, error: Any
) -> None:
    user.says = lambda request: error
    evidence = hold(planned(greetings=["Hi"]), make_world())
    assert evidence.outcome == "evaluator_error"
    assert evidence.detail
    assert "Sydney" not in evidence.detail
    assert contents(evidence) == ["Hi", "You said: Hi"]
    assert (len(evidence.observations), evidence.failure_count) == (2, 0)


@pytest.mark.parametrize("error", [ConfigurationError("wrong key"), BudgetReached("spent")])
def test_what_concerns_the_whole_evaluation_passes_through_and_leaves_the_trial_open(
    planned: Make, make_world: Make, make_journal: Make, user: Any, error: Exception
) -> None:
    user.says = lambda request: error
    journal = make_journal()
    with pytest.raises(type(error), match=str(error)):
        asyncio.run(hold_trial(planned(), make_world(), journal))
    assert journal.kinds() == ["began", "session", "turn", "turn"]


def test_a_wrong_agent_key_passes_through_wherever_it_shows(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    for place in ("open", "Hi", "context"):
        agent.answer = lambda message, place=place: ConfigurationError("wrong key") if message == place else None
        with pytest.raises(ConfigurationError, match="wrong key"):
            asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), make_journal()))


def test_a_graph_that_goes_away_makes_the_trial_invalid(
    hold: Make, planned: Make, make_world: Make, graph: Any
) -> None:
    graph.rows = InfrastructureError("the graph is gone")
    evidence = hold(planned(), make_world())
    assert (evidence.outcome, evidence.detail, evidence.observations) == ("infra_error", "the graph is gone", ())
    assert len(evidence.turns) == 7


@pytest.mark.parametrize("fault", [QueryError("syntax error near MATHC"), InfrastructureError("the graph is gone")])
def test_a_setup_that_fails_makes_the_trial_invalid_before_a_word_is_said(
    hold: Make, planned: Make, make_world: Make, agent: Any, graph: Any, fault: Exception
) -> None:
    graph.fault = fault
    evidence = hold(planned(setups=[{"cypher": "MATHC (n)"}]), make_world())
    assert (evidence.outcome, evidence.detail, evidence.turns) == ("infra_error", str(fault), ())
    assert evidence.failure_count == 0
    assert agent.opened == []


def test_an_assertion_query_at_fault_fails_alone(hold: Make, planned: Make, make_world: Make, graph: Any) -> None:
    graph.rows = QueryError("syntax error")
    evidence = hold(planned(), make_world())
    assert evidence.outcome == "signed_off"
    assert [(seen.assertion, seen.error) for seen in evidence.observations] == [
        ("2", "syntax error"), ("objectContext", None),
    ]


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


def test_an_agent_that_took_most_of_the_time_is_at_fault_whoever_was_waited_for(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any
) -> None:
    agent.answer = lambda message: asyncio.sleep(0.06) if message == "Hi" else None
    user.says = lambda request: asyncio.sleep(5)
    evidence = hold(planned(greetings=["Hi"], trialTimeoutSeconds=0.1), make_world())
    assert evidence.outcome == "agent_error"


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
    assert max(turn.response_ms for turn in evidence.turns) < 50


@pytest.mark.parametrize(("slow", "outcome"), [("agent", "agent_error"), ("user", "evaluator_error")])
def test_after_queueing_the_clock_of_a_trial_goes_on(
    hold: Make, planned: Make, make_world: Make, agent: Any, user: Any, slow: str, outcome: str
) -> None:
    party = agent if slow == "agent" else user
    setattr(party, "answer" if party is agent else "says", lambda _: asyncio.sleep(5))
    evidence = hold(planned(trialTimeoutSeconds=0.05), make_world(agent_limit=Queue(0.02)))
    assert (evidence.outcome, evidence.detail) == (outcome, "the trial took longer than 0.05 s")


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
