"""With which exit code an evaluation ends by its gates, and what a build server is told."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from stored_evaluation import HELD, SCORED_TRIAL, Stored, left_with

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import GATE_SAYS_NO, NO_VERDICT


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


def test_a_gate_without_a_total_says_so(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(stored(average_overall=None), workplace, 0.5) == GATE_SAYS_NO
    assert "there is no average score to compare with --fail-under 0.5: `overall` takes" in capsys.readouterr().err
