"""What a fitness was measured with, and whether a version is better than its base."""

from datetime import UTC, datetime
from typing import Any

import pytest

from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.configuration.settings import MinimalDifferences
from stoic_assets.core.evolution.fitness_comparison import against_base, scale_of

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
        ([trial("1", scenario="s1"), TRIALS[1]], VERDICTS, False),
        ([trial("1", evaluator_model="another"), trial("2", "b", evaluator_model="another")], VERDICTS, False),
        (TRIALS, VERDICTS, True),
    ],
    ids=["judge", "prompt", "samples", "jobs", "job", "condition", "scenario", "user", "offline"],
)
def test_what_changes_it(trials: Rows, verdicts: Rows, offline: bool) -> None:
    assert scale_of(trials, verdicts, offline=offline).key != USUAL.key


def test_of_many_jobs_the_order_is_of_no_account_either() -> None:
    many, judged = [trial(str(n), f"job {n}") for n in range(50)], [verdict(str(n), sample=n) for n in range(50)]
    assert scale_of(many[::-1], judged[::-1]) == scale_of(many, judged)


def row(measure: str, verdict: str, difference: float = 0.0, gating: bool = True) -> dict[str, Any]:
    return {
        "base": "marcus@1.0.0", "base_evaluation_id": "night-1", "measure": measure, "verdict": verdict,
        "difference": difference, "gating": gating,
    }


def test_measures_stand_with_the_largest_move_first() -> None:
    rows = [row("wisdom", "regressed", -0.1), row("task", "regressed", -0.3), row("timing", "improved", 0.2)]
    assert against_base([*rows, row("courage", "inconclusive")]) == {
        "base": "marcus@1.0.0", "base_evaluation_id": "night-1", "verdict": "regressed",
        "regressed": ["task", "wisdom"], "improved": ["timing"], "weaker_assertions": [],
    }  # fmt: skip


def test_assertions_that_hold_less_often_stand_beside_the_verdict() -> None:
    rows = [{**row("task", "unchanged"), "weaker_assertions": ["it is stored"]}]
    told = against_base(rows)
    assert told is not None
    assert (told["verdict"], told["weaker_assertions"]) == ("unchanged", ["it is stored"])


def test_what_does_not_gate_does_not_decide() -> None:
    assert against_base([]) is None
    assert against_base([row("passed", "regressed", -0.5, gating=False)]) is None


@pytest.mark.parametrize(
    ("drop", "verdict"), [(0.0, "inconclusive"), (0.001, "unchanged"), (0.2, "regressed"), (-0.2, "improved")]
)
def test_it_says_what_the_comparison_says(drop: float, verdict: str) -> None:
    comparison = compare(side("marcus@1.0.0", 0.0), side("marcus@1.1.0", drop), MinimalDifferences(), 0.1)
    told = against_base(comparison.rows())
    assert told is not None
    assert told["verdict"] == comparison.verdict == verdict
    assert told["regressed"] == [row["measure"] for row in comparison.with_verdict("regressed")]
    assert told["improved"] == [row["measure"] for row in comparison.with_verdict("improved")]


def side(version: str, drop: float) -> Side:
    """A version in nine jobs; how far it drops differs a little from job to job."""
    drops = {f"job {number}": drop * (1 + number % 2 / 10) + number % 3 / 1000 for number in range(9)}
    measures = [
        {"job": job, "scenario": None, "condition": "withheld", "measure": measure, "mean": 0.5 - drop}
        for job, drop in drops.items() for measure in GATING
    ]  # fmt: skip
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    return Side(
        agent_version=version, evaluation_id=version, started_at=moment, judged_at=moment, status="finished",
        offline=False, scored_trials=9, invalid_trials=0, evaluator_model="m", judges=frozenset(), prompts={},
        jobs=dict.fromkeys(drops, "hash"), measures=measures,
    )  # fmt: skip
