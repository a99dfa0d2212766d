"""Two fitness scores can be compared if judges, prompts, simulated user, conditions and jobs are the same."""

from typing import Any

import pytest

from stoic_assets.core.evolution.scale import scale_of

Rows = list[dict[str, Any]]


def trial(trial_id: str, job: str = "a", **more: Any) -> dict[str, Any]:
    usual = {"job_hash": f"asks:{job}", "scenario": None, "condition": "withheld", "holdout": False}
    return {"trial_id": trial_id, "job": job, "evaluator_model": "user", **usual, **more}


def verdict(trial_id: str, **more: Any) -> dict[str, Any]:
    usual = {"virtue": "wisdom", "judge_model": "judge", "sample": 0, "prompt_hash": "p", "error": None}
    return {"trial_id": trial_id, **usual, **more}


TRIALS, VERDICTS = [trial("1"), trial("2", "b")], [verdict("1"), verdict("2")]
USUAL = scale_of(TRIALS, VERDICTS)


def test_it_tells_judges_and_conditions() -> None:
    found = scale_of([*TRIALS, trial("3", condition="supplied")], [*VERDICTS, verdict("1", judge_model="another")])
    assert (found.judge_models, found.conditions) == (("another", "judge"), ("supplied", "withheld"))


@pytest.mark.parametrize(
    ("trials", "verdicts"),
    [
        (TRIALS[::-1], VERDICTS[::-1]),
        ([*TRIALS, trial("3")], [*VERDICTS, verdict("3")]),
        ([*TRIALS, trial("3", "secret", holdout=True)], [*VERDICTS, verdict("3", judge_model="another")]),
        (TRIALS, VERDICTS[:1]),
        (TRIALS, [*VERDICTS, verdict("1", judge_model="silent", error="no reply")]),
    ],
    ids=["order", "repeats", "holdout", "a failed trial", "a silent judge"],
)
def test_what_does_not_change_it(trials: Rows, verdicts: Rows) -> None:
    assert scale_of(trials, verdicts) == USUAL


@pytest.mark.parametrize(
    ("trials", "verdicts", "offline"),
    [
        (TRIALS, [verdict("1", judge_model="another")], False),
        (TRIALS, [verdict("1", prompt_hash="q")], False),
        (TRIALS, [*VERDICTS, verdict("1", sample=1)], False),
        (TRIALS[:1], VERDICTS, False),
        ([trial("1", job_hash="asks:more"), TRIALS[1]], VERDICTS, False),
        ([trial("1", condition="supplied"), TRIALS[1]], VERDICTS, False),
        ([trial("1", evaluator_model="another"), trial("2", "b", evaluator_model="another")], VERDICTS, False),
        (TRIALS, VERDICTS, True),
    ],
    ids=["judge", "prompt", "samples", "jobs", "job", "condition", "user", "offline"],
)
def test_what_changes_it(trials: Rows, verdicts: Rows, offline: bool) -> None:
    assert scale_of(trials, verdicts, offline=offline).key != USUAL.key
