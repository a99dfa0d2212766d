"""The interval of a virtue's mean, as reports show it."""

from typing import Any

import pytest

from stoic_assets.core.evolution.objective import objectives
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.presentation.formatting import score
from stoic_assets.core.reports.virtue_intervals import virtue_intervals

SCORES = {"a": (0.5, 0.9), "b": (0.7, 0.8), "c": (0.6, 0.7)}
"""The score and confidence of wisdom in each job."""


def composite(trial: str, **rest: Any) -> dict[str, Any]:
    return {"trial_id": trial, "job": trial, "scenario": None, "valid": True, **rest}


def of_trial(job: str, score: float | None, confidence: float | None = 0.9) -> dict[str, Any]:
    return {"trial_id": job, "virtue": "wisdom", "score": score, "confidence": confidence}


def test_it_is_that_of_the_fitness_update() -> None:
    head = EvaluationHead("marcus@1", "night", "2026-03-01T02:00:00Z")
    trials = [
        StoicEvaluation(job, head, job, {"wisdom": VirtueFinding(mark, "", (), (), sure)}, mark, sure)
        for job, (mark, sure) in SCORES.items()
    ]
    sent = objectives(trials, {})["wisdom"]
    assert sent["low"] is not None
    assert sent["high"] is not None
    shown = virtue_intervals(map(composite, SCORES), [of_trial(job, *given) for job, given in SCORES.items()], 0.7)
    assert shown == {"wisdom": f"{score(sent['low'])} to {score(sent['high'])}"}


@pytest.mark.parametrize("more", [composite("d", valid=False), composite("d", scenario="s")])
def test_invalid_trials_do_not_count_and_neither_does_a_virtue_without_a_score(more: dict[str, Any]) -> None:
    rows = [of_trial("a", 0.4), of_trial("b", 0.6)]
    without = virtue_intervals(map(composite, "ab"), rows, 0.7)
    unscored = of_trial("d", None if more["valid"] else 0.0, None)
    assert virtue_intervals([*map(composite, "ab"), more], [*rows, unscored], 0.7) == without != {}


def test_scenarios_of_one_job_are_several_observations_but_repeats_are_one() -> None:
    rows = [of_trial("a", 0.69), of_trial("b", 0.71)]
    repeats = [composite(trial, job="a") for trial in "ab"]
    scenarios = [composite(trial, job="a", scenario=trial) for trial in "ab"]
    assert virtue_intervals(repeats, rows, 0.7) == {}
    assert virtue_intervals(scenarios, rows, 0.7) == {"wisdom": "0.57 to 0.83"}
