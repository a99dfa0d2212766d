"""What is told of single trials: how they ended, and what failed in them."""

import json
from typing import Any

import pytest
from stored_evaluation import HELD, SCORED_TRIAL, Stored, left_with

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import finish
from stoic_assets.cli.outcome_trials import failures


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


def test_with_json_invalid_trials_that_prevent_a_verdict_are_told_with_it_alone(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {"a": "agent_error", "c": "infra_error", "t": "signed_off"}
    tables = {
        "trials": [HELD | {"trial_id": name} for name in ends],
        "composite_scores": [SCORED_TRIAL | {"trial_id": name, "outcome": end} for name, end in ends.items()],
    }
    assert left_with(stored(tables=tables, conclusive=False), workplace, None) == 3
    ended, refusal = capsys.readouterr().err.splitlines()
    assert ended == "1 of 3 trials: agent_error  chat withheld 1: see the report"
    assert refusal.startswith("stoic: no verdict: ")


def test_what_is_the_same_of_many_trials_is_told_once(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a cost ceiling, or where an assertion fails in every repeat."""
    ceiling, other = "the cost ceiling of 5 USD is reached", "not JSON"
    details = {str(repeat): other if repeat == 2 else ceiling for repeat in range(1, 8)}
    failed = {"assertion": "booked", "kind": "cypher", "text": "RETURN 1", "passed": False, "weight": 1.0}
    tables = {
        "trials": [
            HELD | {"trial_id": name, "repeat": int(name), "detail": why}
            for name, why in {**details, "8": None, "9": None}.items()
        ],
        "composite_scores": [
            SCORED_TRIAL | {"trial_id": name, "repeat": int(name), "outcome": "judge_error"} for name in details
        ] + [SCORED_TRIAL | {"trial_id": name, "repeat": int(name)} for name in ("8", "9")],
        "assertion_results": [failed | {"trial_id": name} for name in ("1", "8", "9")],
    }
    finish(stored(tables=tables), workplace, as_json=False)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("judge_error  ", "failed  "))]
    assert told == [
        f"judge_error  chat withheld 1, 3, 4, 5, 6 and 1 more: {ceiling}",
        f"judge_error  chat withheld 2: {other}",
        "failed  chat withheld 8, 9: booked: RETURN 1  (it was false)",
    ]


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
        return {
            "trial_id": f"{job} {repeat}", "outcome": "signed_off", "tasks": low, "scores": {"task": 0.1},
            "assertions": [],
        }  # fmt: skip

    same = [trial(f"job{number} withheld", repeat, "all") for number in range(7) for repeat in range(1, 8)]
    own = [trial(f"own{number} supplied", 1, f"a b{number}") for number in range(15)]
    names = {each["trial_id"]: each["trial_id"] for each in (*same, *own)}
    told = failures([*same, *own], names, 0.7)
    jobs = "; ".join(f"job{number} withheld 1, 2, 3, 4, 5 and 2 more" for number in range(5))
    assert told[0] == f"failed  {jobs}; and 14 more trials: tasks scored below 0.7: all"
    assert told[1] == "failed  own0 supplied 1: tasks scored below 0.7: a; b0"
    assert (len(told), told[-1]) == (13, "and 4 more, which the report shows")
    [six] = failures([each for each in same if "job6" not in each["trial_id"]], names, 0.7)
    assert "more trials" not in six, "the last job alone is named"
    assert "; job5 withheld 1, 2, 3, 4, 5 and 2 more: tasks" in six
