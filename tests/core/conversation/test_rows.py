import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence, Observation, Turn
from stoic_assets.core.conversation.rows import average_response_ms, evidence_of, observation_rows, trial_row, turn_rows
from stoic_assets.core.judging.suspicion import ORDER
from stoic_assets.core.table_rows import Row

Make = Callable[..., Any]


@pytest.fixture
def evidence(planned: Make, make_world: Make, make_journal: Make, agent: Any) -> Evidence:
    agent.answer = lambda message: asyncio.sleep(0.25)
    return simulated(hold_trial(planned(), make_world(), make_journal()))


def read_back(row: Row) -> Row:
    """The row as the warehouse gives it: times as datetimes."""
    times = {column: datetime.fromisoformat(row[column]) for column in ("started_at", "ended_at")}
    return {**row, **times}


def test_evidence_comes_back_out_of_its_rows(evidence: Evidence, make_job: Make) -> None:
    trial = read_back(trial_row(evidence, make_job(), []))
    assert evidence_of(trial, turn_rows(evidence)[::-1], observation_rows(evidence)) == evidence


def test_the_users_messages_took_no_time_and_no_attempts(evidence: Evidence, make_job: Make) -> None:
    rows = turn_rows(evidence)
    of_user, of_agent = ([row for row in rows if row["speaker"] == who] for who in ("user", "agent"))
    assert {(row["response_ms"], row["attempts"]) for row in of_user} == {(None, None)}
    assert all(row["response_ms"] == 250 and row["attempts"] == 1 for row in of_agent)
    earlier = [row | {"response_ms": row["response_ms"] or 0.0, "attempts": row["attempts"] or 0} for row in rows]
    trial = read_back(trial_row(evidence, make_job(), []))
    assert evidence_of(trial, earlier, observation_rows(evidence)) == evidence


def test_tables_hold_what_agent_and_graph_said_in_letters(evidence: Evidence) -> None:
    turn = replace(evidence.turns[1], events=({"said": "墨尔本"},))
    seen = Observation("1", "cypher", "RETURN $p", {"p": "é"}, [{"x": "墨尔本"}])
    told = replace(evidence, turns=(turn,), observations=(seen,))
    assert turn_rows(told)[0]["events"] == '[{"said": "墨尔本"}]'
    [row] = observation_rows(told)
    assert (row["parameters"], row["result"]) == ('{"p": "é"}', '[{"x": "墨尔本"}]')


def test_a_trial_without_replies_comes_back_too(evidence: Evidence, make_job: Make) -> None:
    silent = replace(evidence, turns=(), observations=(), session_id="", outcome="agent_error", detail="down")
    trial = trial_row(silent, make_job(), [])
    assert (trial["turns"], trial["average_response_ms"]) == (0, None)
    assert evidence_of(read_back(trial), [], []) == silent


def test_a_row_of_a_trial_holds_what_scores_need_of_the_job(evidence: Evidence, make_job: Make) -> None:
    job = make_job(aspirationalAverage=3000, tags=["x"], holdout=True, virtues={"wisdom": 2})
    row = trial_row(evidence, job, [])
    assert (row["aspirational_ms"], row["planned_tasks"], row["tags"], row["holdout"]) == (3000.0, 2, ["x"], True)
    assert row["virtue_weights"]["wisdom"] == 2.0
    assert (row["trial_id"], row["scenario"], row["user"]) == ("E.chat.withheld.1", None, "alice")
    assert row["job_hash"] == job.question_hash()


@pytest.mark.parametrize(("expected", "stored"), [({"tone": "calm"}, '{"tone": "calm"}'), ({}, None)])
def test_a_row_of_a_trial_tells_what_its_scenario_is_for(
    evidence: Evidence, make_job: Make, expected: dict[str, str], stored: str | None
) -> None:
    scenarios = [{"id": name, "category": name * 2, "input": "I give up", "expected": expected} for name in "ab"]
    trial = replace(evidence.trial, scenario="b")
    row = trial_row(replace(evidence, trial=trial), make_job(scenarios=scenarios, facts=[]), [])
    assert (row["scenario"], row["category"], row["expected"]) == ("b", "bb", stored)


def test_words_that_are_meant_for_the_judge_are_noted(evidence: Evidence, make_job: Make) -> None:
    assert trial_row(evidence, make_job(), [ORDER])["suspected_injection"] == [ORDER]


def test_the_average_is_over_the_agents_replies_the_greeting_included(evidence: Evidence) -> None:
    turns = (Turn(0, "user", "x"), Turn(1, "agent", "y", 10.0, 1), Turn(2, "user", "x"), Turn(3, "agent", "z", 20.0, 1))
    assert average_response_ms(replace(evidence, turns=turns)) == 15.0
