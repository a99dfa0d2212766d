"""pass^k of each job and condition."""

from math import comb

import pytest


def reliability(made, job):
    """k to its row, of one job."""
    rows = made.scored("job_reliability").read("job_reliability")
    return {row["k"]: row for row in rows if row["job"] == job}


def attempts(made, job, *passed, invalid=0, **columns):
    """Trials of one job that passed or not, and some that are invalid."""
    for number, held in enumerate(passed):
        made.trial(f"{job}{number}", job=job, **columns).assertion(held, trial_id=f"{job}{number}")
    for number in range(invalid):
        key = f"{job}-invalid{number}"
        made.trial(key, job=job, outcome="infra_error", **columns).assertion(None, trial_id=key)
    return made


def test_the_estimate_is_the_unbiased_one(warehouse, evaluation):
    made = evaluation(warehouse)
    for held in range(6):
        attempts(made, f"{held} of 5", *[True] * held, *[False] * (5 - held))
    rows = made.scored("job_reliability").read("job_reliability")
    assert {(row["job"], row["trials"], row["passed"], row["k"]): row["estimate"] for row in rows} == {
        (f"{held} of 5", 5, held, k): pytest.approx(comb(held, k) / comb(5, k))
        for held in range(6)
        for k in range(1, 6)
    }


def test_too_few_valid_trials_cannot_be_estimated(warehouse, evaluation):
    rows = reliability(attempts(evaluation(warehouse), "a", True, False, invalid=2), "a")
    assert [(k, row["estimate"]) for k, row in rows.items()] == [(1, 0.5), (2, 0.0), (3, None), (4, None)]
    assert {(row["trials"], row["passed"], row["invalid_trials"]) for row in rows.values()} == {(2, 1, 2)}


def test_every_job_goes_up_to_the_most_repeats_of_the_evaluation(warehouse, evaluation):
    made = attempts(attempts(evaluation(warehouse), "a", True, True, True), "b", True)
    assert [(k, row["estimate"]) for k, row in reliability(made, "b").items()] == [(1, 1.0), (2, None), (3, None)]


def test_a_job_without_any_valid_trial_stays_in_sight(warehouse, evaluation):
    rows = reliability(attempts(evaluation(warehouse), "a", invalid=2), "a")
    assert [(row["trials"], row["invalid_trials"], row["estimate"]) for row in rows.values()] == [(0, 2, None)] * 2


def test_scenarios_that_ask_nothing_are_left_out(warehouse, evaluation):
    made = attempts(evaluation(warehouse), "a", True)
    for number, outcome in enumerate(("signed_off", "agent_error", "infra_error", "signed_off")):
        made.trial(f"s{number}", job="scenes", scenario="forum", outcome=outcome)
        made.verdict(score=0.5, trial_id=f"s{number}")
    made.assertion(True, weight=0, trial_id="s3")
    assert [(row["job"], row["k"]) for row in made.scored("job_reliability").read("job_reliability")] == [("a", 1)]


def test_conditions_are_kept_apart_and_an_agent_error_is_a_failure(warehouse, evaluation):
    made = evaluation(warehouse)
    for condition, outcome in (("withheld", "signed_off"), ("supplied", "agent_error")):
        made.trial(condition, condition=condition, outcome=outcome, planned_tasks=1)
    made.task(1.0, "withheld")
    rows = made.scored("job_reliability").read("job_reliability")
    assert {(row["condition"], row["trials"], row["estimate"]) for row in rows} == {
        ("withheld", 1, 1.0), ("supplied", 1, 0.0),
    }  # fmt: skip
