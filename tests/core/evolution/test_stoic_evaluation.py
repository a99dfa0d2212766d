"""Rows of a judged evaluation, folded to one document for each trial."""

from typing import Any

from stoic_assets.core.evolution.stoic_evaluation import (
    EvaluationHead,
    StoicEvaluation,
    VirtueFinding,
    stoic_evaluations,
)

Row = dict[str, Any]
SOURCES = {"wisdom": "calibrated", "courage": "self", "justice": "spread"}


def composite(trial_id: str, **changed: Any) -> Row:
    row = {"trial_id": trial_id, "job": "reminders", "valid": True, "outcome": "signed_off"}
    row |= {"virtue_overall": 0.6, "virtue_confidence": 0.8}
    return row | changed


def trial(trial_id: str, holdout: bool = False) -> Row:
    return {"trial_id": trial_id, "holdout": holdout}


def virtue(trial_id: str, name: str, score: float | None, confidence: float | None = 0.8) -> Row:
    return {"trial_id": trial_id, "virtue": name, "score": score, "confidence": confidence}


def verdict(trial_id: str, name: str, score: float | None, **said: Any) -> Row:
    row: Row = {
        "trial_id": trial_id, "virtue": name, "score": score, "judge_model": "a", "sample": 1, "reasoning": "why",
        "supporting_examples": [], "improvement_suggestions": [],
    }
    return row | said


def fold(head: EvaluationHead, composites: list[Row], virtues: list[Row], verdicts: list[Row]) -> list[StoicEvaluation]:
    return stoic_evaluations(head, [trial(row["trial_id"]) for row in composites], composites, virtues, verdicts)


def test_each_scored_trial_becomes_one_evaluation_in_order(head: EvaluationHead) -> None:
    trials = ["t2", "t1"]
    found = fold(
        head,
        [composite(trial_id) for trial_id in trials],
        [virtue(trial_id, "wisdom", 0.6) for trial_id in trials],
        [verdict(trial_id, "wisdom", 0.6) for trial_id in trials],
    )
    assert [each.id for each in found] == ["t1", "t2"]
    assert {each.task_id for each in found} == {"reminders"}


def test_the_scenario_is_the_trials(head: EvaluationHead) -> None:
    [found] = stoic_evaluations(head, [trial("t1") | {"scenario": "s1"}], [composite("t1")], [], [])
    assert (found.scenario, found.observed) == ("s1", "reminders~s1")


def test_where_the_agent_failed_is_told(head: EvaluationHead) -> None:
    outcomes = {"t1": "agent_error", "t2": "max_turns"}
    found = fold(head, [composite(trial_id, outcome=outcome) for trial_id, outcome in outcomes.items()], [], [])
    assert [each.failed for each in found] == [True, False]


def test_which_confidences_are_calibrated_is_told(head: EvaluationHead) -> None:
    virtues = [virtue("t1", name, 0.6) | {"confidence_source": kind} for name, kind in SOURCES.items()]
    [found] = fold(head, [composite("t1")], virtues, [verdict("t1", name, 0.6) for name in SOURCES])
    assert found.calibrated == {"wisdom"}


def test_an_invalid_trial_becomes_none(head: EvaluationHead) -> None:
    scored = [virtue("t1", "wisdom", 0.6)], [verdict("t1", "wisdom", 0.6)]
    assert fold(head, [composite("t1", valid=False)], *scored) == []


def test_a_trial_in_which_the_agent_failed_says_so_and_scores_nothing(head: EvaluationHead) -> None:
    [found] = fold(head, [composite("t1", virtue_overall=None, virtue_confidence=None)], [], [])
    assert (found.overall_score, found.overall_confidence, found.virtue_scores) == (None, None, {})
    assert found.notes == "not scored: wisdom, courage, justice, temperance, practical_wisdom"


def test_the_reasoning_is_that_of_the_verdict_nearest_to_the_mean(head: EvaluationHead) -> None:
    verdicts = [
        verdict("t1", "justice", 0.2, reasoning="harsh", judge_model="a"),
        verdict("t1", "justice", 0.7, reasoning="middle", judge_model="b"),
        verdict("t1", "justice", 0.9, reasoning="mild", judge_model="c"),
    ]
    found = fold(head, [composite("t1")], [virtue("t1", "justice", 0.6)], verdicts)
    assert found[0].virtue_scores["justice"].reasoning == "middle"
    assert found[0].virtue_scores["justice"].score == 0.6


def test_examples_and_suggestions_are_distinct_and_ordered_by_judge_and_sample_not_by_row(head: EvaluationHead) -> None:
    verdicts = [
        verdict("t1", "wisdom", 0.6, judge_model="b", supporting_examples=["three", "one"]),
        verdict("t1", "wisdom", 0.6, judge_model="a", sample=2, supporting_examples=["two", " one "]),
        verdict("t1", "wisdom", 0.6, judge_model="a", sample=1, supporting_examples=["one", "", "two"]),
        verdict("t1", "wisdom", 0.6, judge_model="c", supporting_examples=None, improvement_suggestions=["act"]),
    ]
    forwards = fold(head, [composite("t1")], [virtue("t1", "wisdom", 0.6)], verdicts)
    backwards = fold(head, [composite("t1")], [virtue("t1", "wisdom", 0.6)], verdicts[::-1])
    assert forwards == backwards
    assert forwards[0].virtue_scores["wisdom"].supporting_examples == ("one", "two", "three")
    assert forwards[0].virtue_scores["wisdom"].improvement_suggestions == ("act",)


def test_what_was_said_of_one_virtue_is_not_said_of_another(head: EvaluationHead) -> None:
    names = ("wisdom", "courage")
    verdicts = [
        verdict("t1", name, 0.6, reasoning=f"on {name}", supporting_examples=[f"of {name}"],
                improvement_suggestions=[f"more {name}"])
        for name in names
    ]  # fmt: skip
    [found] = fold(head, [composite("t1")], [virtue("t1", name, 0.6) for name in names], verdicts)
    assert found.virtue_scores == {
        name: VirtueFinding(0.6, f"on {name}", (f"of {name}",), (f"more {name}",), 0.8) for name in names
    }


def test_a_virtue_that_was_not_exercised_is_left_out_and_noted(head: EvaluationHead) -> None:
    found = fold(
        head,
        [composite("t1")],
        [virtue("t1", "temperance", None, None), virtue("t1", "courage", 0.5), virtue("t1", "wisdom", 0.7)],
        [verdict("t1", "temperance", None), verdict("t1", "courage", 0.5), verdict("t1", "wisdom", 0.7)],
    )
    assert list(found[0].virtue_scores) == ["wisdom", "courage"]
    assert found[0].notes == "not scored: justice, temperance, practical_wisdom"


def test_what_is_held_out_says_so(head: EvaluationHead) -> None:
    trials, composites = [trial("t1", holdout=True), trial("t2")], [composite("t1"), composite("t2")]
    virtues = [virtue(each, "wisdom", 0.6) for each in ("t1", "t2")]
    verdicts = [verdict(each, "wisdom", 0.6) for each in ("t1", "t2")]
    found = stoic_evaluations(head, trials, composites, virtues, verdicts)
    assert [each.holdout for each in found] == [True, False]


def test_the_document_has_the_fields_of_a_stoic_evaluation(head: EvaluationHead) -> None:
    wisdom = VirtueFinding(0.6, "why", ("a quote",), ("act",), 0.8)
    document = StoicEvaluation("t1", head, "reminders", {"wisdom": wisdom}, 0.6, 0.8).document()
    assert document == {
        "id": "t1", "agent_id": "marcus", "agent_version": "marcus@1.1.0", "task_id": "reminders",
        "timestamp": "2026-03-01T02:00:00+00:00", "overall_score": 0.6, "overall_confidence": 0.8,
        "notes": "not scored: courage, justice, temperance, practical_wisdom", "source": "llm",
        "virtue_scores": {
            "wisdom": {
                "score": 0.6, "confidence": 0.8, "reasoning": "why", "supporting_examples": ("a quote",),
                "improvement_suggestions": ("act",),
            }
        },
    }
