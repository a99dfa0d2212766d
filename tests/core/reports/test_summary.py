"""The counts and measures of the first screen."""

from dataclasses import replace

import pytest
from rendered_page import Make

from stoic_assets.core.reports.summary import measures, summary, why_uncalibrated
from stoic_assets.core.reports.trial_view import trial_views

FEW = "not calibrated: 12 trials have one verdict and 3 raters, 30 are needed"


def test_trials_are_counted_by_how_they_ended(make_data: Make) -> None:
    data = make_data(trials=20)
    counts = summary(data, trial_views(data))
    assert (counts.planned, counts.scored, counts.invalid, counts.not_run) == (21, 19, 1, 1)
    assert counts.outcomes == [("signed_off", 17), ("agent_error", 1), ("max_turns", 1)]
    assert (counts.passed, counts.asked) == (3, 19)
    assert counts.causes == [("evaluator_error", 1)]
    assert counts.cost == pytest.approx(120 * 0.0007)


@pytest.mark.parametrize(
    ("call", "cost"),
    [({"cost_usd": None, "error": "HTTP 500"}, pytest.approx(0.5)), ({"cost_usd": None, "error": None}, None)],
)
def test_the_cost_is_that_of_the_table_evaluations(
    make_data: Make, call: dict[str, object], cost: float | None
) -> None:
    data = replace(make_data(), llm_calls=[{"cost_usd": 0.5, "error": None}, call])
    assert summary(data, []).cost == cost


def test_without_calls_the_cost_is_the_stored_one(make_data: Make) -> None:
    assert summary(replace(make_data(), llm_calls=()), []).cost == 0.42


@pytest.mark.parametrize(("threshold", "conclusive"), [(0.05, True), (0.049, False)])
def test_no_verdict_above_the_threshold(make_data: Make, threshold: float, conclusive: bool) -> None:
    data = make_data(trials=20, invalid_trials_threshold=threshold)
    assert summary(data, trial_views(data)).conclusive is conclusive


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("conversed", "its conversations are not judged and scored yet; continue with `stoic eval --agent-version"),
        ("regrading", "judging it again was cut short; continue with `stoic regrade --agent-version"),
        ("incomplete", "20 of 21 trials were run before the cost ceiling was reached; continue with `stoic eval"),
    ],
)
def test_what_is_not_finished_is_no_verdict_however_many_trials_count(make_data: Make, status: str, said: str) -> None:
    data = make_data(trials=20)
    counts = summary(replace(data, evaluation={**data.evaluation, "status": status}), trial_views(data))
    assert (summary(data, trial_views(data)).unfinished, counts.conclusive) == (None, False)
    assert (counts.unfinished or "").startswith(said)


def test_nothing_scored_is_no_verdict(make_data: Make) -> None:
    data = make_data(trials=0)
    assert not summary(data, []).conclusive


def test_measures_are_means_over_scored_trials_by_condition() -> None:
    rows = [
        {"valid": True, "condition": "withheld", "overall": 0.2, "tone": None},
        {"valid": True, "condition": "supplied", "overall": 0.6, "tone": None},
        {"valid": False, "condition": "supplied", "overall": 1.0, "tone": 1.0},
    ]
    found = {measure.name: measure for measure in measures(rows)}
    overall, tone = found["overall"], found["tone"]
    assert (overall.mean, overall.withheld, overall.supplied, overall.trials) == (pytest.approx(0.4), 0.2, 0.6, 2)
    assert (tone.mean, tone.trials) == (None, 0)


def test_each_reason_for_what_is_not_calibrated_is_told_once(make_data: Make) -> None:
    data = make_data()
    [reason] = why_uncalibrated(data)
    assert reason.startswith("not calibrated: this judge has not been compared with people’s ratings yet; ")
    judges = ",".join(sorted({row["judge_model"] for row in data.virtue_scores}))
    virtues = [row | {"confidence_source": "self"} for row in data.trial_virtues]
    known = [
        {"virtue": row["virtue"], "judge_model": judges, "measure": "map_self", "why": FEW} for row in virtues
    ]
    assert why_uncalibrated(replace(data, trial_virtues=virtues, judge_calibration=known)) == [FEW]


def test_a_reason_that_does_not_hold_for_all_virtues_names_its_own(make_data: Make) -> None:
    data = make_data()
    judges = ",".join(sorted({row["judge_model"] for row in data.virtue_scores}))
    known = [
        {"virtue": virtue, "judge_model": judges, "measure": "map_self", "why": FEW}
        for virtue in ("practical_wisdom", "courage")
    ]
    sources = {"practical_wisdom": "self", "courage": "self"}
    virtues = [row | {"confidence_source": sources.get(row["virtue"], "calibrated")} for row in data.trial_virtues]
    [why] = why_uncalibrated(replace(data, trial_virtues=virtues, judge_calibration=known))
    assert why == f"courage, practical wisdom: {FEW}"


def test_how_the_judges_scores_go_with_peoples_is_told(make_data: Make) -> None:
    row = {"virtue": "wisdom", "estimate": -0.08, "low": -0.23, "high": 0.08, "why": None, "items": 80}
    known = [
        row | {"judge_model": judge, "measure": measure, "high": high}
        for judge in ("gpt-4.1", "somebody else") for measure, high in (("spearman", 0.08), ("alpha_people", 0.9))
    ]
    [sentence] = summary(make_data(judge_calibration=known), []).against_people
    figure = "−0.08 (95 % interval −0.23 to 0.08) over 80"
    assert sentence.startswith(f"Wisdom by gpt-4.1: rank correlation with people {figure}")
    assert sentence.endswith("these scores do not agree with people’s.")


def test_what_is_calibrated_needs_no_reason(make_data: Make) -> None:
    data = make_data()
    virtues = [row | {"confidence_source": "calibrated"} for row in data.trial_virtues]
    assert why_uncalibrated(replace(data, trial_virtues=virtues)) == []
