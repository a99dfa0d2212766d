"""Whose fault it is that a trial failed, and what passes through because it concerns the whole evaluation."""

from collections.abc import Callable
from typing import Any

import pytest
from held_trials import contents
from simulated_time import simulated

from stoic_assets.core.calls.chat import BudgetReached, ModelFailure
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.errors import ConfigurationError, InfrastructureError, QueryError

Make = Callable[..., Any]


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
        simulated(hold_trial(planned(), make_world(), journal))
    assert journal.kinds() == ["began", "session", "turn", "turn"]


def test_a_wrong_agent_key_passes_through_wherever_it_shows(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    for place in ("open", "Hi", "context"):
        agent.answer = lambda message, place=place: ConfigurationError("wrong key") if message == place else None
        with pytest.raises(ConfigurationError, match="wrong key"):
            simulated(hold_trial(planned(greetings=["Hi"]), make_world(), make_journal()))


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
