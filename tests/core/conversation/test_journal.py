import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.conversation.evidence import Observation, Turn
from stoic_assets.core.conversation.journal import Entry, TrialState, began, ended, prepares, said, session
from stoic_assets.core.jobs.plan import Planned
from stoic_assets.core.jobs.trial import Trial

TRIAL = Trial("E.job.withheld.1", "job", "withheld", 1, "alice")
QUERY = Observation("1", "cypher", "RETURN 1", {"user": "alice"}, [{"n": 1}])


def stored(entry: Entry) -> Entry:
    """The entry as a file gives it back."""
    return json.loads(json.dumps(entry))  # type: ignore[no-any-return]


def test_entries_add_up_to_the_evidence() -> None:
    turns = [Turn(0, "user", "Hi"), Turn(1, "agent", "Salve", 12.5, 3, ({"output": "x"},)), Turn(2, "user", "Vale")]
    entries = [began("t0"), session("s1"), said(turns[0]), said(turns[1], 2), said(turns[2]),
               ended("t9", "agent_error", "down", 4, [QUERY])]  # fmt: skip
    evidence = TrialState.replay(map(stored, entries)).evidence(TRIAL, "sage")
    assert evidence.turns == tuple(turns)
    assert evidence.observations == (QUERY,)
    assert (evidence.outcome, evidence.detail, evidence.failure_count) == ("agent_error", "down", 6)
    assert (evidence.started_at, evidence.ended_at, evidence.session_id) == ("t0", "t9", "s1")
    assert (evidence.trial, evidence.evaluator_model) == (TRIAL, "sage")


def test_a_new_beginning_voids_what_was_before() -> None:
    before = [began("t0"), session("s1"), said(Turn(0, "user", "Hi")), said(Turn(1, "agent", "x"), 3)]
    state = TrialState.replay([*before, ended("t4", "max_turns", None, 0, []), began("t5")])
    assert state == TrialState(attempt=2, started_at="t5")
    state = TrialState.replay([*before, began("t5"), session("s2"), said(Turn(0, "user", "Ho"))])
    assert (state.session_id, state.failure_count, [turn.content for turn in state.turns]) == ("s2", 0, ["Ho"])


@pytest.mark.parametrize(
    ("between", "attempt"), [([ended("t1", "infra_error", "gone", 0, [])], 2), ([prepares()], 2), ([], 1)]
)
def test_an_end_or_a_seed_without_a_session_was_an_attempt_and_a_mere_beginning_was_none(
    between: list[Entry], attempt: int
) -> None:
    state = TrialState.replay([began("t0"), *between, began("t2")])
    assert state == TrialState(attempt=attempt, started_at="t2")


def test_a_beginning_after_a_conversation_without_an_end_is_another_attempt_by_another_user(
    planned: Callable[..., Planned],
) -> None:
    """What the first attempt left with the agent must not be remembered in the second."""
    target = {"user": "ada-{trial}", "chatbot": "marcus"}
    state = TrialState.replay([began("t0"), session("s1"), said(Turn(0, "user", "Hi")), began("t2")])
    item = planned(target=target)
    assert state.attempt == 2
    assert item.at(state.attempt).user == f"{item.trial.user}-2"


def test_a_trial_that_never_had_a_session_has_an_empty_one() -> None:
    state = TrialState.replay([began("t0"), ended("t1", "infra_error", "gone", 0, [])])
    assert state.evidence(TRIAL, "sage").session_id == ""


@pytest.mark.parametrize("entries", [[], [began("t0")], [began("t0"), session("s1")]])
def test_only_an_ended_trial_has_evidence(entries: list[Entry]) -> None:
    with pytest.raises(ValueError, match="ended"):
        TrialState.replay(entries).evidence(TRIAL, "sage")


TURN = st.builds(
    Turn, st.integers(0, 99), st.sampled_from(["user", "agent"]), st.text(), st.floats(0, 1e6), st.integers(0, 9),
    st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2), max_size=2).map(tuple),
)


@given(st.lists(st.tuples(TURN, st.integers(0, 4))))
def test_any_turn_comes_back_from_json_as_it_was(turns: list[tuple[Turn, int]]) -> None:
    entries: list[Any] = [began("t0"), session("s"), *(said(turn, failures) for turn, failures in turns)]
    state = TrialState.replay(map(stored, entries))
    assert state.turns == [turn for turn, _ in turns]
    assert state.failure_count == sum(failures for _, failures in turns)
    assert state == TrialState.replay(entries)
