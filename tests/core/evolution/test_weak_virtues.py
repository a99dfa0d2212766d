"""What a virtue got, whether it is weak, and what is advised for it."""

import json
from typing import Any

import pytest
from short_evaluations import Finding, Judged

from stoic_assets.core.configuration.settings import Evolution, Weakness
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead
from stoic_assets.core.virtues import VIRTUES


@pytest.mark.parametrize(("score", "confidences"), [(0.7, (0.7, 0.7, 0.8)), (0.5, (0.7,) * 6)])
def test_at_the_line_no_virtue_is_weak_whatever_floating_point_makes_of_the_mean(
    head: EvaluationHead, judged: Judged, finding: Finding, score: float, confidences: tuple[float, ...]
) -> None:
    trials = [
        judged(f"t{number}", f"job {number}", score, virtues={"wisdom": finding(score, confidence)})
        for number, confidence in enumerate(confidences)
    ]
    assert fitness_update(head, trials).weak_virtues == []


def test_a_virtue_is_the_mean_weighted_by_confidence(head: EvaluationHead, judged: Judged, finding: Finding) -> None:
    update = fitness_update(
        head,
        [
            judged("t1", "a", 0.5, virtues={"wisdom": finding(0.2, 0.9), "justice": finding(1.0, 0.0)}),
            judged("t2", "a", 0.5, virtues={"wisdom": finding(0.8, 0.3), "justice": finding(0.5, 0.0)}),
        ],
    )
    assert update.objectives["wisdom"] == {
        "mean": pytest.approx(0.35), "confidence": pytest.approx(0.6), "calibrated": 0, "trials": 2, "low": None,
        "high": None, "lower_bound": None, "why": "all scored trials are of one job; an interval needs two",
        "certainly_low": False, "floor": {"at": 0.5, "violated": True, "certain": False},
    }  # fmt: skip
    assert update.objectives["justice"]["mean"] == pytest.approx(0.75)
    assert "courage" not in update.objectives


@pytest.mark.parametrize(
    ("score", "confidence", "weak"), [(0.69, 0.71, True), (0.7, 0.9, False), (0.1, 0.7, False), (0.0, 1.0, True)]
)
def test_a_virtue_is_weak_when_it_is_low_and_that_is_sure(
    head: EvaluationHead, judged: Judged, finding: Finding, score: float, confidence: float, weak: bool
) -> None:
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues={"courage": finding(score, confidence, "dare")})])
    assert update.improvement_areas == ({"courage": ["dare"]} if weak else {})
    assert update.severity == ({"courage": pytest.approx((1 - score) * confidence)} if weak else {})


@pytest.mark.parametrize(("confidences", "sure"), [((0.51, 0.51), True), ((0.5, 0.5), False), ((0.55, 0.66), True)])
def test_a_calibrated_confidence_has_a_bound_of_its_own(
    head: EvaluationHead, judged: Judged, finding: Finding, confidences: tuple[float, float], sure: bool
) -> None:
    # The second trial's is the judge's own word in the last case: the mean 0.605 is held against (0.5 + 0.7)/2.
    known = [frozenset(["wisdom"]), frozenset(["wisdom"] if confidences[0] == confidences[1] else [])]
    trials = [
        judged(f"t{n}", f"job {n}", 0.5, virtues={"wisdom": finding(0.3 + n / 100, confidence)}, calibrated=known[n])
        for n, confidence in enumerate(confidences)
    ]
    update = fitness_update(head, trials, evolution=Evolution(uncertain_width=1))
    assert update.weak_virtues == (["wisdom"] if sure else [])
    assert ("wisdom" in update.uncertain_virtues) is not sure
    assert update.objectives["wisdom"]["calibrated"] == (1 if len(set(known)) == 1 else 0.5)


def test_the_severest_virtue_and_the_most_frequent_advice_come_first(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    first = {"wisdom": finding(0.5, 0.9, "read", "ask"), "justice": finding(0.2, 0.9)}
    second = {"wisdom": finding(0.5, 0.9, "check", "ask"), "justice": finding(0.2, 0.9)}
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues=first), judged("t2", "a", 0.5, virtues=second)])
    assert update.weak_virtues == ["justice", "wisdom"]
    assert update.improvement_areas == {"justice": [], "wisdom": ["ask", "check", "read"]}


def test_every_suggestion_for_a_weak_virtue_names_what_it_rests_on(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    weak, strong = {"wisdom": finding(0.5, 0.9, "ask")}, {"courage": finding(0.9, 0.9, "go on")}
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues=weak | strong), judged("t2", "b", 0.5, virtues=weak)])
    expected = {
        "virtue": "wisdom", "suggestion": "ask", "task_ids": ["a", "b"], "trial_ids": ["t1", "t2"],
        "quotes": ["a quote"],
    }  # fmt: skip
    assert update.payload()["improvements"] == [expected]
    stored = json.loads(update.row()["objectives"])
    assert stored["wisdom"]["improvements"] == [expected]
    assert stored["courage"]["improvements"] == []


def test_of_several_weak_virtues_the_worst_of_which_judges_are_sure_comes_first(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    virtues: Any = {"courage": finding(0.6), "justice": finding(0.5), "wisdom": finding(0.3, 0.8)}
    update = fitness_update(head, [judged("t1", "a", 0.5, virtues=virtues)])
    assert update.severity == pytest.approx({"wisdom": 0.56, "justice": 0.45, "courage": 0.36})
    assert update.weak_virtues == ["wisdom", "justice", "courage"]
    floors = Evolution(floors={"courage": 0.8, "justice": 0.9, "wisdom": 0.75})
    assert fitness_update(head, [judged("t1", "a", 0.5, virtues=virtues)], evolution=floors).floor_violations == [
        "wisdom", "justice", "courage",
    ]  # fmt: skip


def test_a_strong_virtue_does_not_buy_a_weak_one(head: EvaluationHead, finding: Finding, judged: Judged) -> None:
    def update(courage: float, rest: float) -> Any:
        virtues = dict.fromkeys(VIRTUES, finding(rest)) | {"courage": finding(courage)}
        return fitness_update(head, [judged("t1", "a", (courage + 4 * rest) / 5, virtues=virtues)]).payload()

    even, uneven = update(0.6, 0.6), update(0.4, 0.9)
    assert uneven["fitness_score"] > even["fitness_score"]
    assert uneven["balanced_fitness"] == 0.4 < even["balanced_fitness"]
    assert (even["floor_violations"], uneven["floor_violations"]) == ([], ["courage"])


def test_thresholds_can_be_set(head: EvaluationHead, judged: Judged) -> None:
    strict = fitness_update(head, [judged("t1", "a", 0.8)], Weakness(score_below=0.9))
    assert strict.weak_virtues == ["wisdom"]
    jobs = [judged(f"t{number}", f"job {number}", 0.8 + number % 2 / 100) for number in range(4)]
    low = [fitness_update(head, jobs, Weakness(score_below=bound)).objectives["wisdom"] for bound in (0.9, 0.8)]
    assert [each["certainly_low"] for each in low] == [True, False]
    usual = fitness_update(head, [judged("t1", "a", 0.8)])
    high = fitness_update(head, [judged("t1", "a", 0.8)], evolution=Evolution(floors={"wisdom": 0.9}))
    assert (usual.floor_violations, high.floor_violations) == ([], ["wisdom"])
    assert len({strict.idempotency_key, usual.idempotency_key, high.idempotency_key}) == 3
