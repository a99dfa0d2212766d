"""An evaluation as build servers read it."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from stoic_assets.core.scoring.evaluation_junit import evaluation_junit, refusal_junit


def trial(trial_id: str = "t", **known: Any) -> dict[str, Any]:
    """A trial of the document that passed, but for what is known of it."""
    plain = {
        "trial_id": trial_id, "job": "chat", "outcome": "signed_off", "reason": None, "passed": True,
        "scores": {"task": 0.8}, "tasks": [], "assertions": [],
    }  # fmt: skip
    return plain | known


def assertion(name: str, passed: bool | None, weight: float = 1.0, error: str | None = None) -> dict[str, Any]:
    return {"name": name, "text": f"RETURN\n  {name}", "weight": weight, "passed": passed, "error": error}


def suites(*trials: dict[str, Any], offline: bool = False, refusal: str | None = None) -> list[ET.Element]:
    document = {"agent_version": "marcus@1", "evaluation_id": "E", "offline": offline, "trials": trials}
    names = {each["trial_id"]: f"{each['job']} withheld {each['trial_id']}" for each in trials}
    return list(ET.fromstring(evaluation_junit(document, names, 0.7, refusal)))


def result(known: dict[str, Any]) -> tuple[str, str | None, str | None] | None:
    """The kind, the message and the details of what became of a trial; None of one that passed."""
    [[case, _]] = suites(known)
    assert (case.get("classname"), case.get("name")) == ("chat", "chat withheld t")
    return next(((each.tag, each.get("message"), each.text) for each in case), None)


def test_a_job_is_a_suite_and_a_trial_a_test() -> None:
    failed = trial("2", passed=False, assertions=[assertion("1", False)])
    lost = trial("3", outcome="infra_error", passed=None)
    first, second = suites(trial("1"), failed, lost, trial("4", job="reminders"))
    names = [each.get("name") for each in (first, second)]
    assert names == ["stoic eval marcus@1 chat", "stoic eval marcus@1 reminders"]
    counts = {name: first.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "1", "skipped": "0"}
    cases = [(case.get("classname"), case.get("name")) for case in first.iter("testcase")]
    assert cases == [("chat", f"chat withheld {number}") for number in (1, 2, 3)]
    assert first.findtext("system-out") == "evaluation E"


@pytest.mark.parametrize("score", [0.8, None])
def test_a_failed_trial_names_the_assertions_that_failed_it(score: float | None) -> None:
    assertions = [
        assertion("one reminder", False), assertion("2", False, error="no row"), assertion("3", False, weight=0.0),
        assertion("4", True), assertion("5", None),
    ]  # fmt: skip
    tasks = [{"task": "Ask", "score": 0.5, "reason": "It did"}, {"task": "Ask", "score": 1.0, "reason": ""}]
    said = ["one reminder: RETURN one reminder  (it was false)", "RETURN 2  (no row)"]
    known = trial(passed=False, scores={"task": score}, assertions=assertions, tasks=tasks)
    assert result(known) == ("failure", "; ".join(said), "\n".join(said))


def test_a_failed_trial_names_the_tasks_that_failed_it() -> None:
    tasks = [
        {"task": "Remind me", "score": 0.699, "reason": "Too late"}, {"task": "Thank", "score": 0.7, "reason": ""},
        {"task": "Wait", "score": None, "reason": ""}, {"task": "Greet", "score": 0.7 - 1e-12, "reason": ""},
    ]  # fmt: skip
    kind, message, _ = result(trial(passed=False, scores={"task": 0.6995}, tasks=tasks)) or ("", "", "")
    assert (kind, message) == ("failure", "task scored 0.699: Remind me  (Too late)")


@pytest.mark.parametrize(
    ("outcome", "passed", "ended"),
    [
        ("signed_off", True, None), ("max_turns", True, None),
        ("signed_off", None, ("skipped", "nothing to pass: no task score, no decided assertion with a weight", None)),
        ("agent_error", False, ("failure", "agent_error: 500 [U+001B]", None)),
        ("agent_error", None, ("failure", "agent_error: 500 [U+001B]", None)),
        ("judge_error", None, ("error", "judge_error: 500 [U+001B]", None)),
    ],
)
def test_what_becomes_of_an_outcome(outcome: str, passed: bool | None, ended: tuple[str, ...] | None) -> None:
    assert result(trial(outcome=outcome, passed=passed, reason="500 \x1b")) == ended


def test_an_outcome_without_a_recorded_reason_points_to_the_report() -> None:
    known = trial(outcome="infra_error", passed=None)
    assert result(known) == ("error", "infra_error: see the report", None)


def test_offline_is_said_beside_every_test() -> None:
    [suite, verdict] = suites(trial(), offline=True, refusal="too few")
    assert [case.get("classname") for case in suite.iter("testcase")] == ["chat (offline)"]
    assert "Scores mean nothing" in suite.findtext("system-out", "")
    assert verdict.find("testcase").get("classname") == "marcus@1 (offline)"  # type: ignore[union-attr]


def test_without_a_verdict_one_more_test_ends_in_an_error() -> None:
    [verdict] = suites(refusal="0 of 2 trials were run before the cost ceiling")
    assert (verdict.get("tests"), verdict.get("errors")) == ("1", "1")
    [error] = verdict.iter("error")
    assert error.get("message") == "0 of 2 trials were run before the cost ceiling"


def test_an_evaluation_that_was_not_judged_to_the_end_is_one_error() -> None:
    [[case]] = ET.fromstring(refusal_junit("marcus@1", "judging was cut short"))
    assert (case.get("classname"), case.get("name")) == ("marcus@1", "verdict")
    assert [(each.tag, each.get("message")) for each in case] == [("error", "judging was cut short")]
