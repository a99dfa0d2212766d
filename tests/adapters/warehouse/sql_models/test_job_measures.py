"""What versions are compared on: one mean for each job, condition and measure."""

from statistics import fmean
from types import SimpleNamespace

import pytest

from stoic_assets.core.comparison.measures import MEASURES
from stoic_assets.core.comparison.trial_values import trial_values


def measures(made):
    """Measure to mean, valid trials and invalid trials, where there is one cell."""
    return {row["measure"]: counts(row) for row in made.scored("job_measures").read("job_measures")}


def counts(row):
    return (row["mean"], row["trials"], row["invalid_trials"])


def test_a_cell_has_the_plain_mean_of_every_measure(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1", aspirational_ms=100.0, average_response_ms=200.0)
    made.trial("t2", repeat=2, aspirational_ms=100.0, average_response_ms=100.0)
    for trial, score, sure in (("t1", 0.2, 1.0), ("t2", 0.6, 0.1)):
        made.verdict(score=score, confidence=sure, trial_id=trial).task(score, trial)
    made.assertion(True, trial_id="t1").assertion(False, trial_id="t2")
    assert measures(made) == {
        "wisdom": (pytest.approx(0.4), 2, 0),
        "task": (pytest.approx(0.4), 2, 0),
        "assertion": (0.5, 2, 0),
        "timing": (0.75, 2, 0),
        "overall": (pytest.approx((4.9 + 2.2) / 14), 2, 0),
        "passed": (0.0, 2, 0),
    }


def test_invalid_trials_are_counted_and_leave_the_mean_alone(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2", outcome="infra_error")
    made.verdict(score=0.8, trial_id="t1").verdict(score=0.0, trial_id="t2").task(1.0, "t1").task(0.0, "t2")
    found = measures(made)
    assert found == dict.fromkeys(("task", "overall", "passed"), (1.0, 1, 1)) | {"wisdom": (0.8, 1, 1)}


def test_a_trial_without_a_value_is_not_counted(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2", repeat=2)
    made.verdict(score=0.8, trial_id="t1").verdict(exercised=False, trial_id="t2").task(1.0, "t1")
    found = measures(made)
    assert (found["wisdom"], found["task"]) == ((0.8, 1, 0), (1.0, 1, 0))


def test_an_agent_error_is_a_trial_that_failed(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1", planned_tasks=1).trial("t2", outcome="agent_error", planned_tasks=1)
    found = measures(made.task(1.0, "t1"))
    assert (found["task"], found["overall"], found["passed"]) == ((0.5, 2, 0), (0.5, 2, 0), (0.5, 2, 0))


def test_an_agent_error_is_no_failed_task_where_none_was_given(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2", outcome="agent_error").verdict(score=0.8, trial_id="t1")
    assert measures(made) == {"wisdom": (0.8, 1, 0)}


def test_the_replies_before_an_agent_broke_down_say_nothing_of_the_one_that_did_not_come(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1", aspirational_ms=100.0, average_response_ms=200.0)
    made.trial("t2", outcome="agent_error", aspirational_ms=100.0, average_response_ms=1.0)
    found = measures(made)
    assert (found["timing"], found["overall"]) == ((0.5, 1, 0), (0.25, 2, 0))


def test_a_trial_that_broke_down_through_our_fault_is_no_failed_task(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1", planned_tasks=1).trial("t2", outcome="judge_error", planned_tasks=1)
    assert measures(made.task(1.0, "t1"))["task"] == (1.0, 1, 1)


def test_jobs_scenarios_and_conditions_are_kept_apart(warehouse, evaluation):
    made = evaluation(warehouse)
    cells = [("a", None, "withheld"), ("a", None, "supplied"), ("b", "x", "withheld"), ("b", "y", "withheld")]
    for number, (job, scenario, condition) in enumerate(cells):
        made.trial(f"t{number}", job=job, scenario=scenario, condition=condition)
        made.verdict(score=number / 4, trial_id=f"t{number}")
    made.trial("broken", job="b", scenario="y", outcome="judge_error")
    rows = made.scored("job_measures").read("job_measures")
    found = {(row["job"], row["scenario"], row["condition"]): counts(row) for row in rows}
    assert len(rows) == 4
    assert found == {cell: (number / 4, 1, int(number == 3)) for number, cell in enumerate(cells)}


def test_a_cell_of_invalid_trials_has_no_rows(warehouse, evaluation):
    assert measures(evaluation(warehouse).trial(outcome="infra_error").task(1.0).verdict(score=1.0)) == {}


def test_they_are_the_means_of_what_a_comparison_takes_for_the_values_of_single_trials(warehouse, evaluation):
    made = evaluation(warehouse)
    for trial, outcome in (("t1", "signed_off"), ("t2", "agent_error"), ("t3", "max_turns"), ("t4", "infra_error")):
        made.trial(trial, outcome=outcome, planned_tasks=1, aspirational_ms=100.0, average_response_ms=250.0)
    for trial, score in (("t1", 0.8), ("t3", 0.4), ("t4", 0.0)):
        made.verdict(score=score, trial_id=trial).task(score, trial).assertion(score > 0.5, trial_id=trial)
    made.assertion(True, trial_id="t2")
    found = measures(made)
    side = SimpleNamespace(trials=made.read("composite_scores"), virtues=made.read("trial_virtues"))
    values = {measure: trial_values(side, measure).get(("reminders", "withheld"), []) for measure in MEASURES}
    told = {measure: (pytest.approx(fmean(of)), len(of), 1) for measure, of in values.items() if of}
    assert found == told
    assert [found[measure][1] for measure in ("wisdom", "task", "assertion", "timing")] == [2, 3, 3, 2]


def test_where_no_task_was_given_there_is_no_mean_to_which_such_a_value_could_belong(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").assertion(True, trial_id="t1")
    made.trial("t2", outcome="agent_error").assertion(False, trial_id="t2")
    made.trial("t3", outcome="agent_error", job="b")
    rows = made.scored("job_measures").read("job_measures")
    side = SimpleNamespace(trials=made.read("composite_scores"), virtues=[])
    values = {(*cell, measure): of for measure in MEASURES for cell, of in trial_values(side, measure).items()}
    told = {key: (fmean(of), len(of), 0) for key, of in values.items()}
    found = {(row["job"], row["condition"], row["measure"]): counts(row) for row in rows}
    assert found.items() <= told.items()
    assert {measure for *_, measure in found} == {"assertion", "overall", "passed"}
