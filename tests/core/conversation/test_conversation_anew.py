"""A trial that ended without the agent's doing is held again, by another user, where that is still fair."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.chat import ModelFailure
from stoic_assets.core.conversation.conversation import former_end, hold_trial
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.errors import InfrastructureError

Make = Callable[..., Any]

OWN_USERS = {"target": {"user": "ada-{trial}", "chatbot": "marcus"}}


@pytest.mark.parametrize("fault", ["graph", "user"])
def test_a_trial_that_ended_without_the_agents_doing_begins_anew_by_another_user(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, graph: Any, user: Any, fault: str
) -> None:
    item = planned(greetings=["Hi"], assertions=[{"cypher": "RETURN $user", "expected": 1}], **OWN_USERS)
    journal, rows = make_journal(), graph.rows
    if fault == "graph":
        graph.rows = InfrastructureError("the graph went away")
    else:
        user.says = lambda request: ModelFailure("no model")
    invalid = simulated(hold_trial(item, make_world(), journal))
    assert invalid.outcome not in SCORED
    assert invalid.trial == item.trial
    first = list(agent.sent)
    agent.sent.clear()
    graph.rows, user.says = rows, lambda request: None

    evidence = simulated(hold_trial(item, make_world(), journal))
    assert (evidence.outcome, len(evidence.turns), evidence.failure_count) == ("signed_off", 7, 0)
    assert evidence.trial == replace(item.trial, user=f"ada-{item.trial.trial_id}-2", attempt=2)
    assert {user for _, user, _ in agent.sent} == {evidence.trial.user}
    assert {session for session, _, _ in agent.sent}.isdisjoint(session for session, _, _ in first)
    assert graph.observed[-1][1]["user"] == evidence.trial.user
    again = simulated(hold_trial(item, make_world(), make_journal(journal.entries())))
    assert again == evidence


def test_a_trial_that_begins_anew_and_is_cut_off_goes_on_as_the_same_user(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, graph: Any
) -> None:
    item = planned(greetings=["Hi"], assertions=[{"cypher": "RETURN 1", "expected": 1}], **OWN_USERS)
    journal, rows = make_journal(), graph.rows
    graph.rows = InfrastructureError("the graph went away")
    simulated(hold_trial(item, make_world(), journal))
    ended = len(journal.lines)
    graph.rows = rows
    simulated(hold_trial(item, make_world(), journal))
    cut = make_journal(journal.entries()[: ended + 4])
    agent.opened.clear()
    evidence = simulated(hold_trial(item, make_world(), cut))
    assert agent.opened == []
    assert (evidence.outcome, evidence.trial.user) == ("signed_off", f"ada-{item.trial.trial_id}-2")


def test_what_an_earlier_attempt_left_in_the_graph_is_told_apart(planned: Make, make_world: Make) -> None:
    item = planned()
    assert item.at(1) == item.trial
    assert item.at(3).user == item.trial.user, "one that trials share"
    assert make_world().parameters(item.at(3), None)["trial"] == f"{item.trial.trial_id}-3"


@pytest.mark.parametrize(
    ("condition", "job", "again"),
    [
        ("withheld", {"facts": ["It rains"]}, False), ("supplied", {"facts": ["It rains"]}, True),
        ("withheld", {"facts": []}, True), ("withheld", {"facts": ["It rains"], **OWN_USERS}, True),
    ],
)  # fmt: skip
def test_a_fact_that_others_told_the_agent_meanwhile_is_no_longer_withheld(
    planned: Make, make_world: Make, make_journal: Make, user: Any, condition: str, job: dict[str, Any], again: bool
) -> None:
    item, journal = planned(condition, **job), make_journal()
    user.says = lambda request: ModelFailure("no model")
    invalid = simulated(hold_trial(item, make_world(), journal))
    user.says = lambda request: None
    evidence = simulated(hold_trial(item, make_world(), journal))
    assert evidence.outcome == ("signed_off" if again else "evaluator_error")
    assert (evidence == invalid) is not again


def test_what_is_not_held_again_is_as_it_ended(planned: Make, make_world: Make, make_journal: Make, graph: Any) -> None:
    item = planned(greetings=["Hi"], assertions=[{"cypher": "RETURN 1", "expected": 1}], **OWN_USERS)
    journal, world = make_journal(), make_world()
    assert former_end(item, world, journal) is None
    graph.rows = InfrastructureError("the graph went away")
    invalid = simulated(hold_trial(item, world, journal))
    assert former_end(item, world, journal) == invalid
    begun = make_journal([*journal.entries(), {"kind": "began", "at": "later"}])
    assert former_end(item, world, begun) == invalid
