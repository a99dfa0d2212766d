"""A trial that was cut off goes on where it stood: the same evidence, nothing sent twice but the turn in flight."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.conversation import journal as entries
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.errors import ServiceUnreachable
from stoic_assets.core.secrets.redaction import BLANK, Redactor

Make = Callable[..., Any]


def timeless(evidence: Evidence) -> Evidence:
    """The evidence without what a clock says, and of whichever attempt."""
    turns = tuple(replace(turn, response_ms=0.0) for turn in evidence.turns)
    return replace(evidence, trial=replace(evidence.trial, attempt=1), turns=turns, started_at="", ended_at="")


JOBS: list[dict[str, Any]] = [
    {},
    {"maxTurns": 4},
    {"setups": [{"cypher": "CREATE (:A {s: $session})"}], "seeds": [{"text": "seed"}]},
    {"scenarios": [{"id": "a", "category": "c", "input": "Only this"}]},
]


@given(job=st.sampled_from(JOBS), cut=st.integers(0, 12), failures=st.integers(0, 4))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_at_every_entry_of_the_journal(
    planned: Make, make_world: Make, make_journal: Make, death: type[BaseException], agent: Any, user: Any,
    job: dict[str, Any], cut: int, failures: int,
) -> None:  # fmt: skip
    def trial(journal: Any) -> tuple[Evidence, list[str], int]:
        """The evidence, what the agent was told, and how often the model was asked; one process."""
        fresh, asked = type(agent)(), type(user)()
        left = [AgentFailure("down")] * failures
        fresh.answer = lambda message: left.pop() if "weather" in message and left else None
        world = make_world(agent=fresh, model=asked)
        try:
            evidence = asyncio.run(hold_trial(planned(**job), world, journal))
        finally:
            told.extend(fresh.messages())
            questions.append(len(asked.requests))
        return evidence, fresh.messages(), len(asked.requests)

    told: list[str] = []
    questions: list[int] = []
    whole = make_journal()
    undisturbed, all_messages, all_questions = trial(whole)
    told.clear()
    questions.clear()

    killed = make_journal(last=cut)
    try:
        trial(killed)
        survived = True
    except death:
        survived = False
    assert survived is (cut >= len(whole.lines))
    resumed, _, _ = trial(make_journal(killed.entries()))

    assert timeless(resumed) == timeless(undisturbed)
    begun = "session" in killed.kinds()
    assert len(told) <= len(all_messages) + (1 + failures if begun else len(job.get("seeds", ())) + failures)
    assert sum(questions) <= all_questions + 1


def test_replies_before_the_cut_took_none_of_the_time_after_it(
    planned: Make, make_world: Make, make_journal: Make, user: Any
) -> None:
    """The time begins anew with the process, and here the simulated user takes all of it."""
    user.says = lambda request: asyncio.sleep(5)
    turns = [Turn(0, "user", "Hi"), Turn(1, "agent", "Salve", 9000.0, 1)]
    journal = make_journal([entries.began("2026-01-01"), entries.session("s1"), *map(entries.said, turns)])
    evidence = asyncio.run(hold_trial(planned(trialTimeoutSeconds=0.05), make_world(), journal))
    assert (evidence.outcome, len(evidence.turns)) == ("evaluator_error", 2)


def test_a_trial_that_ended_is_not_touched_again(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal = make_journal()
    first = asyncio.run(hold_trial(planned(), make_world(), journal))
    sent, entries = len(agent.sent), len(journal.lines)
    again = asyncio.run(hold_trial(planned(), make_world(), journal))
    assert again == first
    assert (len(agent.sent), len(journal.lines)) == (sent, entries)


def cut_after(planned: Make, make_world: Make, make_journal: Make, turns: int, **job: Any) -> Any:
    """The journal of a trial that was killed after so many turns."""
    journal = make_journal()
    asyncio.run(hold_trial(planned(greetings=["Hi"], **job), make_world(), journal))
    kept = [entry for entry in journal.entries() if entry["kind"] != "ended"]
    return make_journal(kept[: 2 + turns])


def test_the_session_goes_on_and_the_agent_is_given_back_its_turns(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal = cut_after(planned, make_world, make_journal, 3)
    agent.opened.clear()
    agent.sent.clear()
    evidence = asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert agent.restored == [("s1", 3)]
    assert agent.opened == []
    assert agent.messages() == ["What time is it?", "And the weather?"]
    assert evidence.session_id == "s1"


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 5, 6, 7])
def test_where_the_agent_forgot_the_session_the_trial_begins_anew(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, graph: Any, turns: int
) -> None:
    setups = [{"cypher": "CREATE (:A)"}]
    journal = cut_after(planned, make_world, make_journal, turns, setups=setups)
    scripts = len(graph.scripts)
    fresh = type(agent)(forgets=True)
    evidence = asyncio.run(hold_trial(planned(greetings=["Hi"], setups=setups), make_world(agent=fresh), journal))
    assert evidence.outcome == "signed_off"
    assert len(evidence.turns) == 7
    assert [turn.turn for turn in evidence.turns] == list(range(7))
    assert fresh.messages() == ["Hi", "What time is it?", "And the weather?"]
    assert len(graph.scripts) == scripts + 1
    assert journal.kinds().count("began") == 2


LINES = ["My password: hunter22", "And the weather?"]


@pytest.mark.parametrize(
    ("turns", "attempt", "told"), [(2, 1, LINES), (3, 2, ["Hi", *LINES]), (4, 2, ["Hi", *LINES]), (7, 1, [])]
)
def test_where_the_journal_lacks_a_secret_that_was_said_the_trial_begins_anew_unless_it_is_over(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, user: Any, turns: int, attempt: int,
    told: list[str],
) -> None:  # fmt: skip
    """Neither the agent nor the simulated user is told `[redacted]` in its place."""
    user.lines = LINES
    target = {"target": {"user": "ada-{trial}", "chatbot": "marcus"}}
    cut = cut_after(planned, make_world, make_journal, turns, **target)
    journal = make_journal([Redactor(["hunter22"]).row(entry) for entry in cut.entries()])
    user.requests.clear()
    fresh, item = type(agent)(), planned(greetings=["Hi"], **target)
    evidence = asyncio.run(hold_trial(item, make_world(agent=fresh), journal))
    assert fresh.messages() == told
    assert BLANK not in user.told()
    assert (evidence.outcome, evidence.trial) == ("signed_off", item.at(attempt))


@pytest.mark.parametrize("job", [{"seeds": [{"text": "Remind me"}]}, {"setups": [{"cypher": "RETURN $user"}]}])
def test_nobody_is_seeded_or_set_up_twice(
    planned: Make, make_world: Make, make_journal: Make, death: type[BaseException], agent: Any, graph: Any,
    job: dict[str, Any],
) -> None:  # fmt: skip
    """The process dies after that, before the session of the conversation is journalled."""
    item = planned(greetings=["Hi"], target={"user": "ada-{trial}", "chatbot": "marcus"}, **job)
    killed = make_journal(last=2)
    with pytest.raises(death):
        asyncio.run(hold_trial(item, make_world(), killed))
    evidence = asyncio.run(hold_trial(item, make_world(), make_journal(killed.entries())))
    seeded = [name for _, name, message in agent.sent if message == "Remind me"]
    set_up = [parameters["user"] for _, parameters, _ in graph.scripts]
    assert [*seeded, *set_up] == [item.trial.user, f"{item.trial.user}-2"]
    assert evidence.trial == item.at(2)


def test_a_session_that_is_lost_in_the_midst_of_one_process_is_the_agents_fault(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal = cut_after(planned, make_world, make_journal, 3)
    agent.answer = lambda message: AgentFailure("unknown session", final=True) if "weather" in message else None
    evidence = asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert (evidence.outcome, evidence.failure_count) == ("agent_error", 1)
    assert journal.kinds().count("began") == 1


def test_an_agent_that_refuses_the_new_session_too_is_given_no_third_one(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal = cut_after(planned, make_world, make_journal, 1)
    agent.sent.clear()
    agent.answer = lambda message: AgentFailure("unknown session", final=True) if message == "Hi" else None
    evidence = asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert (evidence.outcome, evidence.detail) == ("agent_error", "unknown session")
    assert [session for session, _, _ in agent.sent] == ["s1", "s2"]


def test_a_resumed_trial_in_which_the_agent_replied_asks_for_the_object_context_once(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal, asked = cut_after(planned, make_world, make_journal, 3), list[str]()
    agent.answer = asked.append
    asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert asked == ["What time is it?", "And the weather?", "context"]


def test_an_agent_that_is_merely_down_on_resuming_does_not_cost_the_conversation(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal = cut_after(planned, make_world, make_journal, 3)
    agent.answer = lambda message: AgentFailure("connection refused")
    evidence = asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert (evidence.outcome, len(evidence.turns)) == ("agent_error", 3)


def test_an_agent_that_turns_everybody_away_on_resuming_does_not_cost_the_conversation(
    planned: Make, make_world: Make, make_journal: Make, agent: Any
) -> None:
    journal = cut_after(planned, make_world, make_journal, 3)
    agent.answer = lambda message: AgentFailure("forbidden", final=True, turned_away=True)
    with pytest.raises(ServiceUnreachable, match="forbidden"):
        asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert journal.kinds().count("began") == 1


def test_failures_before_the_cut_still_count(planned: Make, make_world: Make, make_journal: Make, agent: Any) -> None:
    left = [AgentFailure("down")] * 2
    agent.answer = lambda message: left.pop() if "time" in message and left else None
    journal = cut_after(planned, make_world, make_journal, 4)
    evidence = asyncio.run(hold_trial(planned(greetings=["Hi"]), make_world(), journal))
    assert evidence.failure_count == 2
