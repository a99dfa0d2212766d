"""Models that sum up an evaluation: virtues, means, weak virtues."""

import pytest

from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.scoring.validity import conclusive


def by_virtue(rows):
    return {row["virtue"]: row for row in rows}


def test_a_panel_becomes_one_row_for_each_virtue(warehouse, evaluation):
    made = evaluation(warehouse).trial()
    made.verdict(score=0.4, confidence=0.6, grounded=1.0).verdict(score=0.8, confidence=1.0, grounded=0.0, sample=1)
    made.verdict(error="no JSON", sample=2).verdict("courage", exercised=False)
    rows = by_virtue(made.scored("trial_virtues").read("trial_virtues"))
    wisdom, courage = rows["wisdom"], rows["courage"]
    assert (wisdom["score"], wisdom["confidence"], wisdom["grounded"]) == (pytest.approx(0.6), 0.8, 0.5)
    assert (wisdom["verdicts"], wisdom["failed"], wisdom["exercised"]) == (2, 1, True)
    assert wisdom["confidence_source"] == "self"
    assert (courage["score"], courage["verdicts"], courage["exercised"]) == (None, 0, False)


def test_in_a_panel_counts_what_was_scored_and_a_score_without_confidence_lowers_it(warehouse, evaluation):
    made = evaluation(warehouse).trial().verdict(score=0.4, confidence=0.8, grounded=1.0)
    made.verdict(score=0.8, confidence=None, grounded=1.0, exercised=None, sample=1)
    made.verdict(exercised=False, grounded=0.0, sample=2).verdict(score=0.0, error="cut off", sample=3)
    row = made.scored("trial_virtues").one("trial_virtues")
    assert (row["score"], row["confidence"], row["grounded"]) == (pytest.approx(0.6), 0.4, 1.0)
    assert (row["verdicts"], row["failed"], row["exercised"]) == (2, 1, True)


def test_a_panel_is_calibrated_where_all_of_it_is(warehouse, evaluation):
    made = evaluation(warehouse).trial()
    made.verdict(score=0.4, confidence_source="calibrated").verdict(score=0.8, confidence_source="self", sample=1)
    made.verdict("courage", score=0.4, confidence_source="calibrated")
    rows = by_virtue(made.scored("trial_virtues").read("trial_virtues"))
    assert (rows["wisdom"]["confidence_source"], rows["courage"]["confidence_source"]) == ("self", "calibrated")


def test_virtues_of_an_evaluation_leave_invalid_trials_out(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2").trial("t3", outcome="infra_error")
    made.verdict(trial_id="t1", score=1.0, confidence=0.25).verdict(trial_id="t2", score=0.0, confidence=0.75)
    made.verdict(trial_id="t3", score=1.0)
    made.verdict("courage", "t1", exercised=False).verdict("courage", "t2", error="no JSON")
    rows = by_virtue(made.scored("evaluation_virtues").read("evaluation_virtues"))
    assert (rows["wisdom"]["score"], rows["wisdom"]["confidence"], rows["wisdom"]["trials"]) == (0.25, 0.5, 2)
    assert (rows["courage"]["score"], rows["courage"]["trials"], rows["courage"]["not_exercised"]) == (None, 0, 1)


def test_a_calibrated_confidence_is_held_against_a_bound_of_its_own(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2")
    for virtue, sources, confidence in (
        ("wisdom", ("calibrated", "calibrated"), 0.51),
        ("courage", ("calibrated", "calibrated"), 0.5),
        ("justice", ("self", "spread"), 0.6),
        ("temperance", ("calibrated", "self"), 0.61),
    ):
        for trial, source in zip(("t1", "t2"), sources, strict=True):
            made.verdict(virtue, trial, score=0.3, confidence=confidence, confidence_source=source)
    made.verdict("practical_wisdom", "t1", score=0.3, confidence=0.51, confidence_source="calibrated")
    made.verdict("practical_wisdom", "t2", exercised=False)
    rows = made.scored("weak_virtues").read("evaluation_virtues")
    bounds = {row["virtue"]: row["confidence_above"] for row in rows}
    own = {"wisdom": 0.5, "courage": 0.5, "justice": 0.7, "temperance": 0.6, "practical_wisdom": 0.5}
    assert bounds == pytest.approx(own)
    assert {row["virtue"] for row in made.read("weak_virtues")} == {"wisdom", "temperance", "practical_wisdom"}


def test_trials_without_confidence_count_alike(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2")
    made.verdict(trial_id="t1", score=1.0, confidence=0.0).verdict(trial_id="t2", score=0.5, confidence=0.0)
    assert made.scored("evaluation_virtues").one("evaluation_virtues")["score"] == 0.75


def test_means_of_an_evaluation_are_over_its_scored_trials(warehouse, evaluation):
    made = evaluation(warehouse, planned_trials=5).trial("t1").trial("t2").trial("t3", outcome="agent_error")
    made.trial("t4", outcome="evaluator_error").task(1.0, "t1").task(0.5, "t2").task(1.0, "t4")
    made.tone(0.25, "t1").tone(0.75, "t2").tone(1.0, "t4").trial("t5", job="grief", outcome="max_turns")
    row = made.verdict(trial_id="t1", score=0.6).scored("evaluation_scores").one("evaluation_scores")
    assert row["average_overall"] == pytest.approx(0.5)
    assert (row["task"], row["timing"], row["assertion"], row["fitness"]) == (0.75, None, None, 0.6)
    assert (row["tone"], row["jobs"]) == (0.5, 2)
    assert (row["planned_trials"], row["scored_trials"], row["invalid_trials"]) == (5, 4, 1)
    assert row["conclusive"] is False, "one invalid trial of five is more than a tenth"


@pytest.mark.parametrize(
    ("asked", "average"),
    [({}, None), ({"planned_tasks": 1}, 0.0), ({"aspirational_ms": 1000.0}, 0.0), ({"task": 1.0}, 1 / 3)],
)
def test_failed_scenarios_count_once_anything_is_asked(warehouse, evaluation, asked, average):
    """In a suite of scenarios the zeros of failed trials are all the totals that there are."""
    made = evaluation(warehouse).trial("t1", scenario="forum").verdict(score=0.8, trial_id="t1")
    for trial in ("t2", "t3"):
        made.trial(trial, scenario="forum", outcome="agent_error")
    if "task" in asked:
        made.trial("t4").task(asked["task"], "t4")
    elif asked:
        made.trial("t4", outcome="agent_error", **asked)
    assert made.scored("evaluation_scores").one("evaluation_scores")["average_overall"] == average


def test_an_evaluation_without_trials_has_a_row_and_no_scores(warehouse, evaluation):
    row = evaluation(warehouse, planned_trials=3).scored("evaluation_scores").one("evaluation_scores")
    assert (row["planned_trials"], row["scored_trials"], row["invalid_trials"]) == (3, 0, 0)
    assert (row["average_overall"], row["conclusive"], row["jobs"]) == (None, False, 0)


@pytest.mark.parametrize(("scored", "invalid"), [(9, 1), (8, 1), (18, 2), (18, 3), (1, 0), (0, 1), (0, 0)])
def test_sql_and_python_agree_on_what_is_conclusive(warehouse, evaluation, scored, invalid):
    made = evaluation(warehouse, planned_trials=40)
    for number in range(scored + invalid):
        made.trial(f"t{number}", outcome="max_turns" if number < scored else "infra_error").task(1.0, f"t{number}")
    row = made.scored("evaluation_scores").one("evaluation_scores")
    assert (row["scored_trials"], row["invalid_trials"]) == (scored, invalid)
    assert row["conclusive"] is conclusive(scored, invalid, Settings().invalid_trials_threshold)


def test_a_weak_virtue_scores_low_although_the_judge_is_sure(warehouse, evaluation):
    made = evaluation(warehouse).trial().verdict(score=0.5, confidence=0.8)
    made.verdict("courage", score=0.7, confidence=0.8).verdict("justice", score=0.2, confidence=0.7)
    for sample, confidence in enumerate((0.5, 0.7, 0.9)):  # their mean lies a hair above 0.7 in binary
        made.verdict("temperance", score=0.2, confidence=confidence, sample=sample)
    row = made.scored("weak_virtues").one("weak_virtues")
    assert (row["virtue"], row["score"], row["confidence"], row["trials"]) == ("wisdom", 0.5, 0.8, 1)
    assert row["severity"] == pytest.approx(0.4)
    assert row["suggestions"] == []


def test_a_virtue_that_scores_a_third_is_not_below_the_bound_of_a_third(tmp_path, evaluation):
    made = evaluation(Warehouse(tmp_path / "warehouse", {"weak_score_below": 0.3333333333}))
    for sample, score in enumerate((0.0, 0.0, 1.0)):
        made.verdict(score=score, sample=sample)
    assert made.trial().scored("weak_virtues").read("weak_virtues") == []


def test_suggestions_are_distinct_the_most_frequent_first_and_at_most_ten(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2")
    made.verdict(trial_id="t1", score=0.1, improvement_suggestions=[" ask first ", "be kind", ""])
    made.verdict(trial_id="t2", score=0.1, improvement_suggestions=["ask first", *(f"z{n:02}" for n in range(20))])
    suggestions = made.scored("weak_virtues").one("weak_virtues")["suggestions"]
    assert suggestions == ["ask first", "be kind", *(f"z{n:02}" for n in range(8))]


def test_suggestions_made_in_most_trials_come_first_however_many_verdicts_make_them(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2")
    for sample in range(3):
        made.verdict(trial_id="t1", score=0.1, sample=sample, improvement_suggestions=["be brief"])
    made.verdict(trial_id="t2", score=0.1, improvement_suggestions=["listen"])
    made.verdict(trial_id="t1", score=0.1, sample=3, improvement_suggestions=["listen"])
    assert made.scored("weak_virtues").one("weak_virtues")["suggestions"] == ["listen", "be brief"]


def test_of_suggestions_made_equally_often_those_of_the_worst_trials_come_first(warehouse, evaluation):
    made = evaluation(warehouse)
    for number, score in enumerate((0.8, 0.35, 0.3)):
        made.trial(f"t{number}").verdict(trial_id=f"t{number}", score=score, improvement_suggestions=[f"in t{number}"])
    made.verdict(trial_id="t0", score=0.2, sample=1, improvement_suggestions=["ask"])  # 0.5 is the panel's score
    suggestions = made.scored("weak_virtues").one("weak_virtues")["suggestions"]
    assert suggestions == ["in t2", "in t1", "ask", "in t0"]


def test_advice_on_a_virtue_that_was_not_exercised_is_kept_back(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2")
    made.verdict(trial_id="t1", score=0.1, improvement_suggestions=["ask first"])
    made.verdict(trial_id="t2", exercised=False, improvement_suggestions=["nothing to improve"])
    assert made.scored("weak_virtues").one("weak_virtues")["suggestions"] == ["ask first"]


def test_suggestions_from_invalid_trials_are_kept_back(warehouse, evaluation):
    made = evaluation(warehouse).trial("t1").trial("t2", outcome="judge_error")
    for number in (1, 2):
        made.verdict(trial_id=f"t{number}", score=0.1, improvement_suggestions=[f"from t{number}"])
    made.verdict(error="cut off", improvement_suggestions=["half a"], sample=1)
    row = made.scored("weak_virtues").one("weak_virtues")
    assert (row["suggestions"], row["trials"]) == (["from t1"], 1)
