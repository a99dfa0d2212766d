"""The composite of a trial, by worked examples."""

from typing import Any

import pytest

from stoic_assets.adapters.warehouse.warehouse import Warehouse


def composite(evaluation: Any) -> dict[str, Any]:
    return evaluation.scored("composite_scores").one("composite_scores")


def test_every_part_weighs_as_the_formula_says(warehouse, evaluation):
    trial = evaluation(warehouse).trial(aspirational_ms=1000.0, average_response_ms=2000.0, failure_count=1)
    row = composite(trial.task(1.0).task(0.5).assertion(True, 3).assertion(False, 1).tone(0.4))
    assert (row["timing"], row["task"], row["assertion"], row["tone"]) == (0.5, 0.75, 0.75, 0.4)
    assert row["failure_penalty"] == 0.3
    assert row["overall"] == pytest.approx((0.5 + 2 * 0.75 + 4 * 0.75) / 7 - 0.3)


def test_without_assertions_the_rest_carries_the_total(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial(aspirational_ms=100.0, average_response_ms=0.0).task(0.5))
    assert (row["timing"], row["assertion"]) == (1.0, None)
    assert row["overall"] == pytest.approx((1 + 2 * 0.5) / 3)


def test_assertions_that_weigh_nothing_are_no_part(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial().task(0.5).assertion(True, 0))
    assert (row["assertion"], row["overall"]) == (None, 0.5)


def test_an_assertion_that_could_not_be_told_leaves_both_sums(warehouse, evaluation):
    assert composite(evaluation(warehouse).trial().assertion(True).assertion(None, 9))["assertion"] == 1.0


def test_many_failures_cost_at_most_half_and_never_more_than_there_is(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial(failure_count=7).task(0.2))
    assert (row["failure_penalty"], row["overall"]) == (0.5, 0.0)


def test_a_trial_without_any_part_has_no_total(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial(aspirational_ms=1000.0, average_response_ms=None))
    assert (row["valid"], row["overall"], row["timing"]) == (True, None, None)


def test_an_agent_error_scores_zero_and_keeps_its_parts(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial(outcome="agent_error", planned_tasks=1).assertion(True))
    assert (row["outcome"], row["valid"], row["overall"], row["assertion"]) == ("agent_error", True, 0.0, 1.0)


def test_an_agent_error_scores_zero_whatever_was_asked(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1", scenario="forum").trial("t2", scenario="forum", outcome="agent_error")
    made.trial("t3", outcome="agent_error", aspirational_ms=1000.0).verdict(score=0.8, trial_id="t1")
    rows = {row["trial_id"]: row for row in made.scored("composite_scores").read("composite_scores")}
    found = [(rows[trial]["overall"], rows[trial]["passed"]) for trial in ("t1", "t2", "t3")]
    assert found == [(None, None), (0.0, None), (0.0, None)]


def test_a_score_is_as_new_as_the_newest_of_what_it_is_made_of(warehouse, evaluation):
    def at(hour):
        return f"2026-01-01T{hour:02}:00:00+00:00"

    tables = ("trials", "assertion_results", "task_scores", "tone_scores", "virtue_scores")
    for newest in tables:
        made = evaluation(warehouse, key=newest).trial().assertion(True).task(1.0).tone(1.0).verdict(score=1.0)
        for table in tables:
            made.rows[table][0]["evaluated_at"] = at(9 if table == newest else 1)
        assert composite(made)["evaluated_at"].isoformat() == at(9), newest


@pytest.mark.parametrize("outcome", ["evaluator_error", "judge_error", "infra_error"])
def test_faults_of_ours_are_never_scored(warehouse, evaluation, outcome):
    trial = evaluation(warehouse).trial(outcome=outcome, aspirational_ms=1.0, average_response_ms=1.0)
    row = composite(trial.task(1.0).assertion(True).tone(1.0).verdict(score=1.0))
    assert row["valid"] is False
    scores = ("timing", "task", "assertion", "overall", "tone", "virtue_overall", "virtue_confidence", "passed")
    assert [row[name] for name in scores] == [None] * len(scores)


def test_planned_tasks_of_which_none_was_scored_are_a_judge_error(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial(planned_tasks=2).task(None).assertion(True))
    assert (row["outcome"], row["valid"], row["overall"]) == ("judge_error", False, None)


def test_one_scored_task_is_enough(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial(planned_tasks=2).task(None).task(0.5))
    assert (row["outcome"], row["task"]) == ("signed_off", 0.5)


def test_verdicts_that_all_failed_are_a_judge_error(warehouse, evaluation):
    failed = evaluation(warehouse).trial().task(1.0).verdict(error="no JSON").verdict("courage", exercised=False)
    row = composite(failed)
    assert (row["outcome"], row["virtues_not_exercised"]) == ("judge_error", 1)


def test_one_scored_virtue_is_enough(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial().verdict(error="no JSON").verdict("courage", score=0.5))
    assert (row["outcome"], row["virtues_scored"], row["virtue_overall"]) == ("signed_off", 1, 0.5)


def test_virtues_without_any_occasion_are_no_error(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial().verdict(exercised=False).verdict("courage", exercised=False))
    assert (row["outcome"], row["virtue_overall"], row["virtues_not_exercised"]) == ("signed_off", None, 2)


def test_virtues_weigh_by_confidence_and_by_the_jobs_weights(warehouse, evaluation):
    trial = evaluation(warehouse).trial(virtue_weights={"wisdom": 3.0, "courage": None})
    row = composite(trial.verdict(score=1.0, confidence=0.5).verdict("courage", score=0.0, confidence=1.0))
    assert row["virtue_overall"] == pytest.approx(0.5 / 1.5)
    assert row["virtue_overall_weighted"] == pytest.approx(1.5 / 2.5)
    assert row["virtue_confidence"] == 0.75


def test_where_those_that_weigh_are_unsure_the_plain_overall_stands_for_the_weighted(warehouse, evaluation):
    trial = evaluation(warehouse).trial(virtue_weights={"wisdom": 1.0, "courage": 0.0})
    row = composite(trial.verdict(score=0.4, confidence=0.0).verdict("courage", score=0.9, confidence=0.8))
    assert row["virtue_overall"] == row["virtue_overall_weighted"] == 0.9


def test_without_a_virtue_that_weighs_there_is_no_weighted_score(warehouse, evaluation):
    trial = evaluation(warehouse).trial(virtue_weights={"wisdom": 0.0})
    row = composite(trial.verdict(score=1.0, confidence=0.9).verdict("courage", exercised=False))
    assert (row["virtue_overall"], row["virtue_overall_weighted"]) == (1.0, None)


def test_scores_without_confidence_are_the_middle(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial().verdict(score=1.0, confidence=0.0))
    assert (row["virtue_overall"], row["virtue_overall_weighted"], row["virtue_confidence"]) == (0.5, None, 0.0)


def test_a_trial_passed_when_every_assertion_held_and_its_tasks_were_done(warehouse, evaluation):
    cases = {
        "all done": ([1.0], [True, True], True),
        "one assertion failed": ([1.0], [True, False], False),
        "task not done": ([0.6], [True], False),
        "done on average": ([0.9, 0.5], [], True),
        "no task, held": ([], [True], True),
        "no task, failed": ([], [False], False),
        "assertion not told": ([0.8], [None], True),
        "nothing told": ([], [None], None),
        "nothing asked": ([], [], None),
    }
    made = evaluation(warehouse)
    for trial, (tasks, assertions, _) in cases.items():
        made.trial(trial)
        for score in tasks:
            made.task(score, trial)
        for held in assertions:
            made.assertion(held, trial_id=trial)
    rows = made.scored("composite_scores").read("composite_scores")
    assert {row["trial_id"]: row["passed"] for row in rows} == {trial: case[2] for trial, case in cases.items()}


def test_a_failed_assertion_of_next_to_no_weight_fails_the_trial(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial().assertion(False, 1e-10).assertion(True).assertion(None, 1.0))
    assert (row["assertion"], row["passed"]) == (pytest.approx(1.0), False)


def test_a_mean_that_is_below_the_mark_by_rounding_alone_passes(warehouse, evaluation):
    row = composite(evaluation(warehouse).trial().task(0.6).task(0.7).task(0.8))
    assert (row["task"] < 0.7, row["passed"]) == (True, True)


def test_a_mean_of_a_third_reaches_the_mark_of_a_third(tmp_path, evaluation):
    third = Warehouse(tmp_path / "warehouse", {"pass_task_score": 0.3333333333})
    assert composite(evaluation(third).trial().task(1.0).task(0.0).task(0.0))["passed"] is True


def test_the_mark_is_set_by_a_variable(tmp_path, evaluation):
    strict = Warehouse(tmp_path / "warehouse", {"pass_task_score": 0.95})
    assert composite(evaluation(strict).trial().task(0.9))["passed"] is False


def test_an_agent_that_broke_down_passed_nothing(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1", outcome="agent_error", planned_tasks=1)
    made.trial("t2", outcome="agent_error").assertion(None, trial_id="t2")
    made.trial("t3", outcome="agent_error").assertion(True, trial_id="t3")
    made.trial("t4", outcome="agent_error", scenario="forum").assertion(True, weight=0, trial_id="t4")
    rows = {row["trial_id"]: row["passed"] for row in made.scored("composite_scores").read("composite_scores")}
    assert rows == {"t1": False, "t2": False, "t3": False, "t4": None}, "where nothing is asked, nothing is failed"
