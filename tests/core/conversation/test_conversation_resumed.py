"""A trial that was cut off goes on where it stood: the same evidence, nothing sent twice but the turn in flight."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_time import simulated

from stoic_assets.core.conversation import journal as entries
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.errors import ServiceUnreachable
from stoic_assets.core.secrets.redaction import BLANK, Redactor

Make = Callable[..., Any]


@dataclass(frozen=True)
class Trials:
    """Holds trials in a world of fakes, each call as a process of its own would: it knows the journal alone."""

    planned: Make
    make_world: Make
    journal: Make
    agent: Any
    user: Any
    graph: Any

    def hold(self, journal: Any, item: Any = None, **world: Any) -> Evidence:
        """A trial to its end, by default of a job with a greeting; `world` as for `make_world`."""
        item = item or self.planned(greetings=["Hi"])
        return simulated(hold_trial(item, self.make_world(**world), journal))

    def cut_after(self, turns: int, **job: Any) -> Any:
        """The journal of a trial that was killed after so many turns."""
        journal = self.journal()
        self.hold(journal, self.planned(greetings=["Hi"], **job))
        kept = [entry for entry in journal.entries() if entry["kind"] != "ended"]
        return self.journal(kept[: 2 + turns])


@pytest.fixture
def trials(planned: Make, make_world: Make, make_journal: Make, agent: Any, user: Any, graph: Any) -> Trials:
    return Trials(planned, make_world, make_journal, agent, user, graph)


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
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_at_every_entry_of_the_journal(
    trials: Trials, death: type[BaseException], job: dict[str, Any], cut: int, failures: int
) -> None:
    def trial(journal: Any) -> tuple[Evidence, list[str], int]:
        """The evidence, what the agent was told, and how often the model was asked; one process."""
        fresh, asked = type(trials.agent)(), type(trials.user)()
        left = [AgentFailure("down")] * failures
        fresh.answer = lambda message: left.pop() if "weather" in message and left else None
        try:
            evidence = trials.hold(journal, trials.planned(**job), agent=fresh, model=asked)
        finally:
            told.extend(fresh.messages())
            questions.append(len(asked.requests))
        return evidence, fresh.messages(), len(asked.requests)

    told: list[str] = []
    questions: list[int] = []
    whole = trials.journal()
    undisturbed, all_messages, all_questions = trial(whole)
    told.clear()
    questions.clear()

    killed = trials.journal(last=cut)
    try:
        trial(killed)
        survived = True
    except death:
        survived = False
    assert survived is (cut >= len(whole.lines))
    resumed, _, _ = trial(trials.journal(killed.entries()))

    assert timeless(resumed) == timeless(undisturbed)
    begun = "session" in killed.kinds()
    assert len(told) <= len(all_messages) + (1 + failures if begun else len(job.get("seeds", ())) + failures)
    assert sum(questions) <= all_questions + 1


def test_replies_before_the_cut_took_none_of_the_time_after_it(trials: Trials) -> None:
    """The time begins anew with the process, and here the simulated user takes all of it."""
    trials.user.says = lambda request: asyncio.sleep(5)
    turns = [Turn(0, "user", "Hi"), Turn(1, "agent", "Salve", 9000.0, 1)]
    journal = trials.journal([entries.began("2026-01-01"), entries.session("s1"), *map(entries.said, turns)])
    evidence = trials.hold(journal, trials.planned(trialTimeoutSeconds=0.05))
    assert (evidence.outcome, len(evidence.turns)) == ("evaluator_error", 2)


def test_a_trial_that_ended_is_not_touched_again(trials: Trials) -> None:
    journal = trials.journal()
    first = trials.hold(journal, trials.planned())
    sent, entries = len(trials.agent.sent), len(journal.lines)
    again = trials.hold(journal, trials.planned())
    assert again == first
    assert (len(trials.agent.sent), len(journal.lines)) == (sent, entries)


def test_the_session_goes_on_and_the_agent_is_given_back_its_turns(trials: Trials) -> None:
    journal = trials.cut_after(3)
    trials.agent.opened.clear()
    trials.agent.sent.clear()
    evidence = trials.hold(journal)
    assert trials.agent.restored == [("s1", 3)]
    assert trials.agent.opened == []
    assert trials.agent.messages() == ["What time is it?", "And the weather?"]
    assert evidence.session_id == "s1"


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 5, 6, 7])
def test_where_the_agent_forgot_the_session_the_trial_begins_anew(trials: Trials, turns: int) -> None:
    setups = [{"cypher": "CREATE (:A)"}]
    journal = trials.cut_after(turns, setups=setups)
    scripts = len(trials.graph.scripts)
    fresh = type(trials.agent)(forgets=True)
    evidence = trials.hold(journal, trials.planned(greetings=["Hi"], setups=setups), agent=fresh)
    assert evidence.outcome == "signed_off"
    assert len(evidence.turns) == 7
    assert [turn.turn for turn in evidence.turns] == list(range(7))
    assert fresh.messages() == ["Hi", "What time is it?", "And the weather?"]
    assert len(trials.graph.scripts) == scripts + 1
    assert journal.kinds().count("began") == 2


LINES = ["My password: hunter22", "And the weather?"]


@pytest.mark.parametrize(
    ("turns", "attempt", "told"), [(2, 1, LINES), (3, 2, ["Hi", *LINES]), (4, 2, ["Hi", *LINES]), (7, 1, [])]
)
def test_where_the_journal_lacks_a_secret_that_was_said_the_trial_begins_anew_unless_it_is_over(
    trials: Trials, turns: int, attempt: int, told: list[str]
) -> None:
    """Neither the agent nor the simulated user is told `[redacted]` in its place."""
    trials.user.lines = LINES
    target = {"target": {"user": "ada-{trial}", "chatbot": "marcus"}}
    cut = trials.cut_after(turns, **target)
    journal = trials.journal([Redactor(["hunter22"]).row(entry) for entry in cut.entries()])
    trials.user.requests.clear()
    fresh, item = type(trials.agent)(), trials.planned(greetings=["Hi"], **target)
    evidence = trials.hold(journal, item, agent=fresh)
    assert fresh.messages() == told
    assert BLANK not in trials.user.told()
    assert (evidence.outcome, evidence.trial) == ("signed_off", item.at(attempt))


@pytest.mark.parametrize("job", [{"seeds": [{"text": "Remind me"}]}, {"setups": [{"cypher": "RETURN $user"}]}])
def test_nobody_is_seeded_or_set_up_twice(trials: Trials, death: type[BaseException], job: dict[str, Any]) -> None:
    """The process dies after that, before the session of the conversation is journalled."""
    item = trials.planned(greetings=["Hi"], target={"user": "ada-{trial}", "chatbot": "marcus"}, **job)
    killed = trials.journal(last=2)
    with pytest.raises(death):
        trials.hold(killed, item)
    evidence = trials.hold(trials.journal(killed.entries()), item)
    seeded = [name for _, name, message in trials.agent.sent if message == "Remind me"]
    set_up = [parameters["user"] for _, parameters, _ in trials.graph.scripts]
    assert [*seeded, *set_up] == [item.trial.user, f"{item.trial.user}-2"]
    assert evidence.trial == item.at(2)


def test_a_session_that_is_lost_in_the_midst_of_one_process_is_the_agents_fault(trials: Trials) -> None:
    journal = trials.cut_after(3)
    trials.agent.answer = lambda message: AgentFailure("unknown session", final=True) if "weather" in message else None
    evidence = trials.hold(journal)
    assert (evidence.outcome, evidence.failure_count) == ("agent_error", 1)
    assert journal.kinds().count("began") == 1


def test_an_agent_that_refuses_the_new_session_too_is_given_no_third_one(trials: Trials) -> None:
    journal = trials.cut_after(1)
    trials.agent.sent.clear()
    trials.agent.answer = lambda message: AgentFailure("unknown session", final=True) if message == "Hi" else None
    evidence = trials.hold(journal)
    assert (evidence.outcome, evidence.detail) == ("agent_error", "unknown session")
    assert [session for session, _, _ in trials.agent.sent] == ["s1", "s2"]


def test_a_resumed_trial_in_which_the_agent_replied_asks_for_the_object_context_once(trials: Trials) -> None:
    journal, asked = trials.cut_after(3), list[str]()
    trials.agent.answer = asked.append
    trials.hold(journal)
    assert asked == ["What time is it?", "And the weather?", "context"]


def test_an_agent_that_is_merely_down_on_resuming_does_not_cost_the_conversation(trials: Trials) -> None:
    journal = trials.cut_after(3)
    trials.agent.answer = lambda message: AgentFailure("connection refused")
    evidence = trials.hold(journal)
    assert (evidence.outcome, len(evidence.turns)) == ("agent_error", 3)


def test_an_agent_that_turns_everybody_away_on_resuming_does_not_cost_the_conversation(trials: Trials) -> None:
    journal = trials.cut_after(3)
    trials.agent.answer = lambda message: AgentFailure("forbidden", final=True, turned_away=True)
    with pytest.raises(ServiceUnreachable, match="forbidden"):
        trials.hold(journal)
    assert journal.kinds().count("began") == 1


def test_failures_before_the_cut_still_count(trials: Trials) -> None:
    left = [AgentFailure("down")] * 2
    trials.agent.answer = lambda message: left.pop() if "time" in message and left else None
    journal = trials.cut_after(4)
    evidence = trials.hold(journal)
    assert evidence.failure_count == 2
