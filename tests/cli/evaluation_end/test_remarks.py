"""What is remarked beside the results: agents, judges and users at fault, offline scores, the base."""

from collections.abc import Callable
from typing import Any

import pytest
from stored_evaluation import HELD, SCORED_TRIAL, START, TRIAL, VERDICT, Stored, left_with

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import finish
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.secrets.redaction import BLANK


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize(
    ("outcome", "replied_ms", "asked"),
    [("agent_error", None, True), ("agent_error", 3.0, False), ("max_turns", 3.0, False), ("infra_error", None, False)],
)
def test_where_the_agent_answered_nothing_at_all_its_address_and_protocol_are_asked_after(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], as_json: bool, outcome: str,
    replied_ms: float | None, asked: bool,
) -> None:  # fmt: skip
    ends = {"a": ("agent_error", None), "b": (outcome, replied_ms)}
    tables = {
        "trials": [HELD | {"trial_id": name, "detail": f"quota of {name}"} for name in ends],
        "composite_scores": [
            SCORED_TRIAL | {"trial_id": name, "outcome": end, "average_response_ms": ms}
            for name, (end, ms) in ends.items()
        ],
    }
    finish(stored(tables=tables), workplace, as_json)
    told = capsys.readouterr()
    lines = (told.err if as_json else told.out).splitlines()
    question = "every trial ended without a reply; check the agent's address and protocol, and "
    question += "`limits.agent.timeout_seconds` if it is slow."
    found = [line for line in lines if line.startswith("every trial")]
    assert found == ([f"{question} The first: agent_error  chat withheld 1: quota of a"] if asked else [])


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize(("reply", "asked"), [(" \n", True), ("Salve", False)])
def test_an_agent_whose_replies_are_all_empty_is_asked_after(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], as_json: bool, reply: str, asked: bool
) -> None:
    row = {"trial_id": "t", "response_ms": None, "attempts": None, "events": "[]"}
    said = [("user", "Hello"), ("agent", ""), ("user", "Are you there?"), ("agent", reply)]
    turns = [row | {"turn": n, "speaker": who, "content": text} for n, (who, text) in enumerate(said)]
    tables = {"turns": turns, "trials": [HELD], "composite_scores": [SCORED_TRIAL]}
    finish(stored(tables=tables), workplace, as_json)
    told = capsys.readouterr()
    line = "every reply of the agent is empty; check what it returns, and its protocol"
    assert (line in (told.err if as_json else told.out).splitlines()) is asked


def test_an_agent_that_waits_for_others_to_run_its_tools_is_told_that_nobody_does(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"trial_id": "t", "speaker": "agent", "response_ms": None, "attempts": None}
    call, query = ('[{"request": {"function": {"name": "order"}}}]', '[{"query": "MATCH (n) RETURN n"}]')
    said = [(" ", call), ("Done.", call), ("", "[]"), ("", query), ("", None)]
    turns = [row | {"turn": n, "content": text, "events": events} for n, (text, events) in enumerate(said)]
    finish(stored(tables={"turns": turns, "trials": [HELD], "composite_scores": [SCORED_TRIAL]}), workplace, True)
    told = "1 reply without words, but with tool calls: an agent has to run its tools itself"
    assert told in capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("as_json", [True, False])
def test_a_judge_that_was_several_models_is_named(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    call = {"role": "judge", "model": "gpt", "cached": False, "latency_ms": 1.0}
    calls = [call | {"call_id": name, "served_model": name} for name in ("gpt-2026", "cheap")]
    tables = {"llm_calls": calls, "composite_scores": [SCORED_TRIAL], "trials": [HELD]}
    finish(stored(tables=tables), workplace, as_json)
    said = capsys.readouterr()
    assert "as judge gpt several models answered" in (said.err if as_json else said.out)


@pytest.mark.parametrize("offline", [True, False])
def test_beside_json_it_is_told_that_scores_mean_nothing(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], offline: bool
) -> None:
    assert left_with(stored(offline=offline, average_overall=0.9), workplace, 0.8) == 0
    assert capsys.readouterr().err == (f"{OFFLINE_NOTE}\n" if offline else "")


@pytest.mark.parametrize("as_json", [True, False])
def test_the_verdict_against_the_base_is_told(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    numbers = {"low": -0.6, "high": -0.2, "low_90": -0.55, "high_90": -0.25, "p": 0.001, "p_adjusted": 0.004}
    row = {
        "base": "marcus@0", "candidate": "marcus@1", "offline": False, "notes": [],
        "base_evaluation_id": "B", "base_started_at": START, "measure": "assertion",
        "condition": "pooled", "gating": True, "jobs": 8, "difference": -0.4, "delta": 0.1, "verdict": "regressed",
        **numbers,
    }  # fmt: skip
    booked = [
        {"trial_id": "t", "assertion": f"booked{number}", "kind": "cypher", "text": "RETURN 1", "weight": 1.0}
        for number in range(5)
    ]
    results = [row | {"passed": True} for row in booked]
    tables = {"trials": [HELD], "composite_scores": [SCORED_TRIAL], "assertion_results": results}
    for table, rows in tables.items():
        workplace.warehouse.write(table, "marcus@0", "B", rows)
    tables["assertion_results"] = [row | {"passed": False} for row in booked]
    finish(stored(tables=tables | {"version_comparisons": [row]}), workplace, as_json)
    told = capsys.readouterr()
    lines = (told.err if as_json else told.out).splitlines()
    place = lines.index("Regressed against marcus@0: assertion −0.40 (95 % interval −0.60 to −0.20)")
    assert lines[place + 1 : place + 7] == [
        "5 assertions that always held for marcus@0 never hold for marcus@1; a single trial may be chance:",
        *(f"  booked{number} (held 1 of 1 time, now 0 of 1) in chat (withheld)" for number in range(3)),
        "  and 2 more",
        "`stoic compare marcus@0 marcus@1 --evaluation B --evaluation E` compares the two in full",
    ]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_judge_of_a_panel_that_fell_silent_is_named(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    verdicts = [VERDICT, VERDICT | {"judge_model": "k", "score": None, "error": "402: pay\x1b[2J"}]
    tables = {"composite_scores": [SCORED_TRIAL], "trials": [HELD], "virtue_scores": verdicts}
    assert left_with(stored(tables=tables), workplace, None, as_json) == 0
    told = capsys.readouterr()
    shown = told.err if as_json else told.out
    assert "judge k gave no verdict at all: 402: pay[U+001B][2J" in shown.splitlines()


@pytest.mark.parametrize("as_json", [True, False])
def test_secrets_that_the_agent_told_are_counted(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    said = [("user", f"mine is {BLANK}"), ("agent", f"{BLANK} and {BLANK}"), ("agent", f"or {BLANK}")]
    row = {"trial_id": "t", "response_ms": None, "attempts": None, "events": "[]"}
    turns = [row | {"turn": turn, "speaker": each, "content": text} for turn, (each, text) in enumerate(said)]
    outcome = stored(tables={"turns": turns})
    assert outcome.document["secrets_told"] == 3
    finish(outcome, workplace, as_json)
    told = capsys.readouterr()
    lines = (told.err if as_json else told.out).splitlines()
    assert "the agent's words contained a secret 3 times, stored as [redacted]" in lines
    assert stored().document["secrets_told"] == 0


@pytest.mark.parametrize(
    ("said", "outcome", "told"),
    [("Sure! Anything else?", "max_turns", True), ("Sure!", "signed_off", False), ("Buy me milk", "max_turns", False)],
)
def test_a_user_who_raised_no_task_before_the_turn_limit_is_told_of(
    stored: Stored, workplace: Workplace, make_manifest: Callable[..., Any], capsys: pytest.CaptureFixture[str],
    said: str, outcome: str, told: bool,
) -> None:
    task = {"task": "Have milk bought", "acceptanceCriteria": "it is"}
    job = Job.model_validate({"name": TRIAL["job"], "target": {"user": "a", "chatbot": "b"}, "tasks": [task]})
    workplace.evidence.begin(make_manifest(evaluation_id="E", agent_version="marcus@1", jobs=(job,)))
    row = {"trial_id": "t", "speaker": "user", "response_ms": None, "attempts": None, "events": "[]"}
    turns = [row | {"turn": n, "content": text} for n, text in enumerate(["Hello", said])]
    held, scored = HELD | {"outcome": outcome}, SCORED_TRIAL | {"outcome": outcome}
    finish(stored(tables={"turns": turns, "trials": [held], "composite_scores": [scored]}), workplace, True)
    assert ("in 1 trial that ended at the turn limit the simulated user" in capsys.readouterr().err) is told
