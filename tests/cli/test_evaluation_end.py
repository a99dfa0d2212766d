"""With which words and which exit code an evaluation ends."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import typer

from stoic_assets.adapters.ratings.calibration_store import PLACE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import GATE_SAYS_NO, NO_VERDICT, finish
from stoic_assets.cli.outcome import Outcome, evaluation_outcome
from stoic_assets.cli.outcome_trials import failures
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.redaction import BLANK
from stoic_assets.core.scoring.evaluation_document import DOCUMENT_TABLES
from stoic_assets.core.virtues import VIRTUES

Stored = Callable[..., Outcome]
START = datetime(2026, 3, 1, tzinfo=UTC)
TRIAL: dict[str, Any] = {
    "trial_id": "t", "job": "chat", "condition": "withheld", "repeat": 1, "outcome": "signed_off",
}  # fmt: skip

VERDICT = {"trial_id": "t", "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": 0.5}
HELD: dict[str, Any] = TRIAL | {"holdout": False, "failure_count": 0, "planned_tasks": 1, "turns": 3}
SCORED_TRIAL: dict[str, Any] = TRIAL | {
    "valid": True, "failure_penalty": 0.0, "virtues_scored": 0, "virtues_not_exercised": 0, "failure_count": 0,
}  # fmt: skip


@pytest.fixture
def stored(workplace: Workplace) -> Stored:
    """An evaluation in the warehouse, of which nothing is known but its means and what is given.

    `tables` are rows by their table, the rest columns of `evaluation_scores`.
    """

    def store(
        virtues: tuple[dict[str, Any], ...] = (), tables: dict[str, Any] | None = None, cost_usd: float | None = None,
        offline: bool = False, **scores: Any,
    ) -> Outcome:
        key = ("marcus@1", "E")
        head = {"agent": "marcus", "status": "finished", "offline": offline, "planned_trials": 0, "started_at": START}
        head["cost_usd"] = cost_usd
        counts = {"agent": "marcus", "planned_trials": 0, "scored_trials": 0, "invalid_trials": 0, "conclusive": True}
        known = {"evaluations": [head], "evaluation_scores": [counts | scores], "evaluation_virtues": virtues}
        known |= tables or {}
        for table in {"turns", *DOCUMENT_TABLES, *known}:
            workplace.warehouse.write(table, *key, known.get(table, ()))
        return evaluation_outcome(workplace, *key)

    return store


def left_with(
    outcome: Outcome, workplace: Workplace, fail_under: float | None, as_json: bool = True, **further: Any
) -> int:
    """The exit code."""
    try:
        finish(outcome, workplace, as_json, fail_under, **further)
    except typer.Exit as left:
        return left.exit_code
    return 0


@pytest.mark.parametrize(
    ("average", "fail_under", "said"),
    [
        (0.896, 0.9, "0.896 is below 0.9"),  # rounded to 0.90 it passed
        (0.9049, 0.904, None),  # rounded to 0.90 it failed
        (None, None, None),
    ],
)
def test_a_gate_goes_by_the_mean_that_is_stored_and_shows_what_is_missing(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str],
    average: float | None, fail_under: float | None, said: str | None,
) -> None:  # fmt: skip
    code = left_with(stored(average_overall=average), workplace, fail_under)
    assert code == (GATE_SAYS_NO if said else 0)
    assert capsys.readouterr().err == (f"stoic: the average score {said}\n" if said else "")


@pytest.mark.parametrize(
    ("passed", "min_passed", "said"),
    [
        ([True, True, False, None], 0.7, "2 of 3 trials passed (0.67), fewer than 0.7"),
        ([True, True, False, None], 2 / 3, None),
        ([None], 0.5, "no trial has a task or assertion to pass, as --min-passed 0.5 needs"),
        ([False], None, None),
    ],
)
def test_a_gate_on_passed_trials_counts_those_that_could_pass(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str],
    passed: list[bool | None], min_passed: float | None, said: str | None,
) -> None:  # fmt: skip
    names = [f"t{number}" for number in range(len(passed))]
    composite = [SCORED_TRIAL | {"trial_id": name, "passed": each} for name, each in zip(names, passed, strict=True)]
    outcome = stored(tables={"composite_scores": composite, "trials": [HELD | {"trial_id": name} for name in names]})
    assert left_with(outcome, workplace, None, min_passed=min_passed) == (GATE_SAYS_NO if said else 0)
    assert capsys.readouterr().err == (f"stoic: {said}\n" if said else "")
    cut_short = replace(outcome, planned=len(passed) + 1)
    assert left_with(cut_short, workplace, None, min_passed=min_passed) == NO_VERDICT


def test_a_build_server_tells_a_gate_from_want_of_a_verdict() -> None:
    assert (GATE_SAYS_NO, NO_VERDICT) == (1, 3), "as docs/commands.md says"


def test_every_gate_that_says_no_is_told(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = {"composite_scores": [SCORED_TRIAL | {"passed": False}], "trials": [HELD]}
    outcome = stored(tables=tables, average_overall=0.5)
    assert left_with(outcome, workplace, 0.6, min_passed=1.0) == GATE_SAYS_NO
    said = "stoic: the average score 0.50 is below 0.6; 0 of 1 trials passed (0.00), fewer than 1\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(("conclusive", "code", "errors"), [(True, GATE_SAYS_NO, "0"), (False, NO_VERDICT, "1")])
def test_every_trial_is_a_test_for_a_build_server_whatever_the_gates_say(
    stored: Stored, workplace: Workplace, tmp_path: Path, conclusive: bool, code: int, errors: str
) -> None:
    task = {"trial_id": "t", "task": "1", "type": "task", "task_text": "Ask", "judge_model": "gpt", "score": 0.65}
    scored = SCORED_TRIAL | {"passed": False, "task": 0.65, "scenario": "grief"}
    tables = {"composite_scores": [scored], "trials": [HELD], "task_scores": [task]}
    outcome = replace(stored(tables=tables, offline=True), status="finished" if conclusive else "incomplete")
    file = tmp_path / "new" / "eval.xml"
    assert left_with(outcome, workplace, None, min_passed=1.0, junit=file) == code
    first, *others = ET.fromstring(file.read_text(encoding="utf-8"))
    [case] = first.iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("chat (offline)", "chat~grief withheld 1")
    assert case.find("failure").get("message").startswith("task scored 0.65: Ask")  # type: ignore[union-attr]
    assert str(sum(int(suite.get("errors", "")) for suite in others)) == errors


@pytest.mark.parametrize(("min_passed", "code"), [(1.0, GATE_SAYS_NO), (None, 2)])
def test_the_gates_decide_even_if_nothing_can_be_told_to_a_build_server(
    stored: Stored, workplace: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    min_passed: float | None, code: int,
) -> None:  # fmt: skip
    outcome = stored(tables={"composite_scores": [SCORED_TRIAL | {"passed": False}], "trials": [HELD]})
    file = tmp_path / "file" / "eval.xml"
    file.parent.write_text("in the way")
    assert left_with(outcome, workplace, None, min_passed=min_passed, junit=file) == code
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"stoic: {file} cannot be written: ")
    assert first.endswith("`stoic regrade --agent-version marcus@1 --evaluation E` with --junit FILE writes it")


def test_virtues_are_shown_as_they_are_stored(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where every confidence is 0, no trial outweighs another."""
    row = {"agent": "marcus", "virtue": "wisdom", "score": 0.62, "confidence": 0.0, "trials": 3, "not_exercised": 0}
    finish(stored((row,)), workplace, as_json=False, fail_under=None)
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["wisdom", "0.62", "0.00", "3"] in shown
    assert [line[-3:] for line in shown].count(["–", "–", "0"]) == len(VIRTUES) - 1


def test_what_people_say_of_the_judge_and_which_bound_held_are_shown(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"agent": "marcus", "virtue": "wisdom", "score": 0.3, "confidence": 0.6, "confidence_above": 0.5}
    found = replace(stored((row | {"trials": 3, "not_exercised": 0},)), agreement="Scores that do not agree: wisdom.")
    finish(found, workplace, as_json=False, fail_under=None)
    shown = " ".join(capsys.readouterr().out.split())
    assert "that do not agree: wisdom. A virtue with a low score is weak if its confidence is above 0.50." in shown


@pytest.mark.parametrize(("sources", "told"), [((), 0), (("spread", "spread"), 1)])
def test_where_confidences_come_from_is_told_if_there_are_any(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], sources: tuple[str, ...], told: int
) -> None:
    score = {"trial_id": "t", "score": 0.5, "confidence": 0.9, "verdicts": 3, "failed": 0, "exercised": True}
    scored = zip(VIRTUES, sources, strict=False)
    rows = [score | {"virtue": virtue, "confidence_source": source} for virtue, source in scored]
    tables = {"composite_scores": [SCORED_TRIAL], "trials": [HELD], "trial_virtues": rows}
    finish(stored(tables=tables, planned_trials=1, scored_trials=1), workplace, as_json=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("The confidences") == told
    assert shown.count("come from the spread of the verdicts and are not calibrated on people's ratings.") == told


def test_the_agreement_shown_is_that_of_the_judges_who_scored(stored: Stored, workplace: Workplace) -> None:
    known = {"virtue": "wisdom", "judge_model": "gpt", "estimate": 0.1, "low": -0.1, "high": 0.2}
    rows = [known | {"measure": measure, "items": 20, "raters": 3} for measure in ("spearman", "alpha_people")]
    workplace.warehouse.write("judge_calibration", *PLACE, rows)
    assert stored().agreement == ""
    judged = {"composite_scores": [SCORED_TRIAL], "trials": [HELD], "virtue_scores": [VERDICT]}
    assert stored(tables=judged).agreement == "Scores that do not agree with people's: wisdom."


def test_trials_and_assertions_are_shown_by_their_names(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    asked = {"text": "RETURN\n  1", "passed": False, "error": None}
    scores = dict.fromkeys(("timing", "task", "assertion", "failure_penalty", "overall"))
    plain = TRIAL | {"reason": None, "passed": None, "scores": scores, "virtues": {}, "virtue_overall": {"score": None}}
    held = {**asked, "name": "3", "passed": True}
    assertions = [{**asked, "name": "one reminder"}, {**asked, "name": "2", "error": "no row"}, held]
    trials = [plain | {"assertions": assertions}, plain | {"trial_id": "s", "assertions": []}]
    document = {**found.document, "trials": trials}
    jobs = {"t": "chat", "s": "chat~grief"}
    finish(replace(found, document=document, planned=2, jobs=jobs), workplace, False, None)
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown if "signed_off" in line] == ["chat", "chat~grief"]
    assert [line for line in shown if line.startswith("failed")] == [
        "failed  chat withheld 1: one reminder: RETURN 1  (it was false)",
        "failed  chat withheld 1: RETURN 1  (no row)",
    ]


@pytest.mark.parametrize(("cost", "said"), [(0.0431, "$0.043"), (0.0, "$0.00"), (None, "unknown; a model has no")])
def test_what_it_cost_and_where_the_report_stands_are_said_last_and_in_the_document(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], cost: float | None, said: str
) -> None:
    found = stored(cost_usd=cost)
    path = str(workplace.report_file("marcus@1", "E").absolute())
    assert [found.document[key] for key in ("status", "cost_usd", "report")] == ["finished", cost, path]
    finish(found, workplace, as_json=False, fail_under=None)
    *_, costs, report = capsys.readouterr().out.splitlines()
    assert costs.startswith(f"cost: {said}")
    assert report == f"report: {path}"


@pytest.fixture
def terminal(screen: Callable[[int], None]) -> None:
    """One of 80 columns."""
    screen(80)


def table_of(outcome: Outcome, workplace: Workplace, penalty: float, ending: str, said: Any) -> list[str]:
    """The lines in which a trial of an ordinary name is shown, and their heading."""
    scores = dict.fromkeys(("timing", "task", "assertion", "overall"), 0.5) | {"failure_penalty": penalty}
    shown = {"scores": scores, "virtues": {}, "virtue_overall": {"score": 0.5}, "assertions": [], "tasks": []}
    trial = TRIAL | shown | {"outcome": ending, "reason": None, "passed": True}
    document = {**outcome.document, "trials": [trial]}
    finish(replace(outcome, document=document, planned=1, jobs={"t": "reminder_tomorrow"}), workplace, False, None)
    lines = said.readouterr().out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("trial"))
    return lines[first : next(number for number, line in enumerate(lines) if line.startswith("virtue "))]


@pytest.mark.parametrize(("penalty", "headings"), [(0.0, 7), (0.3, 8)])
def test_trials_fit_a_terminal_of_usual_width(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], terminal: None, penalty: float,
    headings: int,
) -> None:  # fmt: skip
    heading, first, *rest = table_of(stored(), workplace, penalty, "evaluator_error", capsys)
    assert max(map(len, (heading, first, *rest))) <= 80
    assert len(heading.split()) == headings
    assert first.split()[0] == "reminder_tomorrow"
    assert " ".join(rest).split() in (["error"], ["withheld", "1", "error"])


def test_a_file_has_every_column(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    heading, line = table_of(stored(), workplace, 0.0, "signed_off", capsys)
    assert heading.split() == [
        "trial", "outcome", "timing", "task", "assertion", "penalty", "overall", "virtues",
    ]  # fmt: skip
    assert line.split() == ["reminder_tomorrow", "withheld", "1", "signed_off", *["0.50"] * 3, "0.00", *["0.50"] * 2]


def test_virtues_have_one_name(stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    found = stored()
    weak = {**found.document, "weak_virtues": [{"virtue": "practical_wisdom", "score": 0.699}]}
    finish(replace(found, document=weak), workplace, as_json=False, fail_under=None)
    shown = capsys.readouterr().out
    assert "weak virtues: practical wisdom 0.699" in shown
    assert "practical_wisdom" not in shown


@pytest.mark.parametrize(("fitness", "said"), [(0.8, "none"), (None, "no virtue was scored")])
def test_what_nobody_scored_is_not_called_strong(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], fitness: float | None, said: str
) -> None:
    finish(stored(fitness=fitness), workplace, as_json=False, fail_under=None)
    assert f"weak virtues: {said} " in capsys.readouterr().out


def test_with_json_it_is_told_why_trials_did_not_end_plainly(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {
        "a": ("agent_error", "404 from\x1b[2J"), "b": ("agent_error", "405"), "c": ("infra_error", None),
        "t": ("signed_off", None),
    }  # fmt: skip
    tables = {
        "trials": [HELD | {"trial_id": name, "detail": detail} for name, (_, detail) in ends.items()],
        "composite_scores": [SCORED_TRIAL | {"trial_id": name, "outcome": end} for name, (end, _) in ends.items()],
    }
    finish(stored(tables=tables), workplace, as_json=True, fail_under=None)
    told = capsys.readouterr()
    reasons = {trial["trial_id"]: trial["reason"] for trial in json.loads(told.out)["trials"]}
    assert reasons == {"a": "404 from\x1b[2J", "b": "405", "c": None, "t": None}
    assert told.err.splitlines() == [
        "2 of 4 trials: agent_error  chat withheld 1: 404 from[U+001B][2J",
        "1 of 4 trials: infra_error  chat withheld 1: see the report",
    ]


def test_what_is_the_same_of_many_trials_is_told_once(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a cost ceiling, or where an assertion fails in every repeat."""
    ceiling, other = "the cost ceiling of 5 USD is reached", "not JSON"
    details = {str(repeat): other if repeat == 2 else ceiling for repeat in range(1, 8)}
    failed = {"assertion": "booked", "kind": "cypher", "text": "RETURN 1", "passed": False, "weight": 1.0}
    tables = {
        "trials": [HELD | {"trial_id": name, "repeat": int(name), "detail": why} for name, why in details.items()],
        "composite_scores": [
            SCORED_TRIAL | {"trial_id": name, "repeat": int(name), "outcome": "judge_error"} for name in details
        ],
        "assertion_results": [failed | {"trial_id": name} for name in ("1", "3")],
    }
    finish(stored(tables=tables), workplace, as_json=False)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("judge_error  ", "failed  "))]
    assert told == [
        f"judge_error  chat withheld 1, 3, 4, 5, 6 and 1 more: {ceiling}",
        f"judge_error  chat withheld 2: {other}",
        "failed  chat withheld 1, 3: booked: RETURN 1  (it was false)",
    ]


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


def test_tasks_that_let_trials_fail_are_told_once(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {"a": (0.4, 0.6), "b": (0.4, 0.2), "c": (1.0, 0.5)}  # the third passes
    task = {"type": "task", "judge_model": "gpt"}
    tables = {
        "trials": [HELD | {"trial_id": name, "repeat": n} for n, name in enumerate(scores, 1)],
        "composite_scores": [
            SCORED_TRIAL | {"trial_id": name, "repeat": n, "task": sum(each) / 2, "passed": name == "c"}
            for n, (name, each) in enumerate(scores.items(), 1)
        ],
        "task_scores": [
            task | {"trial_id": name, "task": str(n), "task_text": f"Ask {n}", "score": score}
            for name, each in scores.items() for n, score in enumerate(each, 1)
        ],
    }  # fmt: skip
    finish(stored(tables=tables), workplace, as_json=False)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("failed  ")]
    assert told == [
        "failed  chat withheld 1, 2: tasks scored below 0.7: Ask 1; Ask 2",
    ]


def test_of_many_failures_the_first_are_told_and_each_job_is_named_once() -> None:
    def trial(job: str, repeat: int, tasks: str) -> dict[str, Any]:
        low = [{"task": task, "score": 0.1} for task in tasks.split()]
        return {"trial_id": f"{job} {repeat}", "tasks": low, "scores": {"task": 0.1}, "assertions": []}

    same = [trial(f"job{number} withheld", repeat, "all") for number in range(7) for repeat in range(1, 8)]
    own = [trial(f"own{number} supplied", 1, f"a b{number}") for number in range(15)]
    names = {each["trial_id"]: each["trial_id"] for each in (*same, *own)}
    told = failures([*same, *own], names, 0.7)
    jobs = "; ".join(f"job{number} withheld 1, 2, 3, 4, 5 and 2 more" for number in range(5))
    assert told[0] == f"failed  {jobs} and 2 more: tasks scored below 0.7: all"
    assert told[1] == "failed  own0 supplied 1: tasks scored below 0.7: a; b0"
    assert (len(told), told[-1]) == (13, "and 4 more, which the report shows")


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
    finish(stored(tables={"version_comparisons": [row]}), workplace, as_json)
    told = capsys.readouterr()
    line = "Regressed against marcus@0: assertion −0.40 (95 % −0.60 to −0.20)"
    assert line in (told.err if as_json else told.out).splitlines()


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


def test_a_gate_without_a_total_says_so(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(stored(average_overall=None), workplace, 0.5) == GATE_SAYS_NO
    assert "there is no average score to compare with --fail-under 0.5: `overall` takes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "planned", "said"),
    [
        ("incomplete", 2, "0 of 2 trials were run before the cost ceiling was reached; continue with `stoic eval"),
        ("incomplete", 0, "all verdicts were given; continue with `stoic eval --agent-version marcus@1 --resume E`"),
        ("regrading", 0, "verdicts were given; continue with `stoic regrade --agent-version marcus@1 --evaluation E`"),
    ],
)
def test_at_the_cost_ceiling_the_command_that_goes_on_is_named(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], status: str, planned: int, said: str
) -> None:
    outcome = replace(stored(), status=status, planned=planned)
    assert left_with(outcome, workplace, 0.5) == NO_VERDICT
    told = capsys.readouterr().err
    assert said in told
    assert told.endswith("and a higher --max-cost\n")


def test_a_refusal_quotes_an_agent_as_it_stands(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    trial = TRIAL | {"outcome": "infra_error", "reason": "503 [/INST] :boom: \x1b[2J"}
    failed = {**found.document, "trials": [trial], "invalid_trials": 1}
    outcome = replace(found, document=failed, planned=1, conclusive=False, jobs={"t": "chat"})
    assert left_with(outcome, workplace, None) == NO_VERDICT
    assert "chat withheld 1: 503 [/INST] :boom: [U+001B][2J; once the cause is corrected" in capsys.readouterr().err


def test_trials_that_stay_invalid_are_not_promised_to_be_played_again(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    ended = {"t": "evaluator_error", "u": "evaluator_error", "v": "judge_error"}
    trials = [TRIAL | {"trial_id": each, "outcome": end, "reason": None} for each, end in ended.items()]
    failed = {**found.document, "trials": trials, "invalid_trials": 3}
    outcome = replace(
        found, document=failed, planned=3, conclusive=False, jobs=dict.fromkeys(ended, "chat"),
        not_again=frozenset({"t", "v"}),
    )
    assert left_with(outcome, workplace, None) == NO_VERDICT
    told = capsys.readouterr().err
    assert "runs them again, except 1 whose user has told the agent the withheld facts" in told


def test_trials_that_lack_verdicts_alone_are_judged_again(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    trials = [TRIAL | {"outcome": "judge_error", "reason": "not JSON"}] * 2
    failed = {**found.document, "trials": trials, "invalid_trials": 2}
    outcome = replace(found, document=failed, planned=2, conclusive=False, jobs={"t": "chat"})
    assert left_with(outcome, workplace, None) == NO_VERDICT
    again = (
        "`stoic regrade --agent-version marcus@1 --evaluation E` judges them again; you may choose other judges first"
    )
    assert capsys.readouterr().err.endswith(f": not JSON; once the cause is corrected, {again}\n")


def test_what_is_not_played_again_is_known_from_the_jobs(
    stored: Stored, workplace: Workplace, make_manifest: Callable[..., Any]
) -> None:
    job = {
        "name": "chat", "target": {"user": "ada", "chatbot": "marcus"}, "aspirationalAverage": 3000,
        "greetings": ["Hi"], "tasks": [{"task": "Ask", "acceptanceCriteria": "It answers"}], "facts": ["It rains"],
    }
    workplace.evidence.begin(make_manifest(evaluation_id="E", agent_version="marcus@1", jobs=(job,)))
    assert stored().not_again == {"E.chat.withheld.1"}


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
