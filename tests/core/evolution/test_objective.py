"""Virtues as objectives: floors, the worst one, weakness, and which to measure again."""

from collections.abc import Callable
from math import nextafter

import pytest

from stoic_assets.core.configuration.settings import Evolution, Weakness
from stoic_assets.core.evolution.objective import (
    Objectives,
    balanced,
    below_floor,
    objectives,
    severities,
    uncertain,
)
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation, VirtueFinding
from stoic_assets.core.virtues import VIRTUES

Scored = Callable[..., Objectives]


@pytest.fixture
def scored(judged: Callable[..., StoicEvaluation], finding: Callable[..., VirtueFinding]) -> Scored:
    """One job for each score of wisdom; the other virtues get 0.9 and 0.8 in turn unless `alone`."""

    def make(*scores: float, confidence: float = 0.9, alone: bool = False, floor: float = 0.5) -> Objectives:
        trials = []
        for number, score in enumerate(scores):
            rest = {} if alone else {virtue: finding(0.9 - number % 2 * 0.1) for virtue in VIRTUES}
            found = rest | {"wisdom": finding(score, confidence)}
            trials.append(judged(f"t{number}", f"job {number}", 0.5, virtues=found))
        return objectives(trials, dict.fromkeys(VIRTUES, floor))

    return make


@pytest.mark.parametrize(
    ("scores", "violated", "certain"),
    [
        ((0.5, 0.5), False, False),
        ((0.2, 0.3, 0.3, 0.2), True, True),
        ((0.1, 0.8), True, False),
        ((0.4,), True, False),
        ((0.3, 0.1, 1.0, 0.6), False, False),
    ],
)
def test_a_floor_is_violated_by_the_mean_and_certainly_by_the_whole_interval(
    scored: Scored, scores: tuple[float, ...], violated: bool, certain: bool
) -> None:
    found = scored(*scores)
    assert found["wisdom"]["floor"] == {"at": 0.5, "violated": violated, "certain": certain}
    assert below_floor(found) == (["wisdom"] if violated else [])


@pytest.mark.parametrize(
    ("scores", "low", "certainly"),
    [
        ((0.6, 0.5, 0.6, 0.5), 0.7, True),
        ((0.6, 0.5, 0.6, 0.5), 0.6, False),
        ((0.3, 0.7, 0.3, 0.8), 0.7, False),
        ((0.3,), 0.7, False),
    ],
)
def test_a_virtue_is_certainly_low_if_its_whole_interval_is(
    judged: Callable[..., StoicEvaluation], scores: tuple[float, ...], low: float, certainly: bool
) -> None:
    trials = [judged(f"t{number}", f"job {number}", score) for number, score in enumerate(scores)]
    assert objectives(trials, {}, Weakness(score_below=low))["wisdom"]["certainly_low"] is certainly


def test_a_floor_within_the_interval_is_violated_but_not_certainly(scored: Scored) -> None:
    found = scored(0.1, 0.2, 0.3, 0.2, floor=0.3)
    assert found["wisdom"]["floor"] == {"at": 0.3, "violated": True, "certain": False}


def test_a_mean_that_rounding_puts_below_its_floor_is_not_below(scored: Scored) -> None:
    assert below_floor(scored(0.1, 0.2, floor=0.15, alone=True)) == []
    assert below_floor(scored(0.7, 0.1, 0.1, floor=0.3, alone=True)) == []


def test_thresholds_a_hair_off_by_rounding_are_met(scored: Scored) -> None:
    scores = (0.3, 0.3, 0.3, 0.7)  # in binary their mean is below 0.4, and its upper end below what it is rounded to
    high = scored(*scores)["wisdom"]["high"]
    assert high is not None
    assert scored(*scores, floor=0.4)["wisdom"]["floor"] == {"at": 0.4, "violated": False, "certain": False}
    assert high < (upper := round(high, 9))
    assert scored(*scores, floor=upper)["wisdom"]["floor"] == {"at": upper, "violated": True, "certain": False}
    sure = scored(0.60, 0.62, 0.61, 0.60, confidence=nextafter(0.7, 1))
    assert "wisdom" in uncertain(sure, Weakness(confidence_above=0.7), Evolution())


def test_an_interval_as_wide_as_allowed_is_not_too_wide(scored: Scored) -> None:
    found = scored(0.60, 0.62, 0.61, 0.60)
    low, high = found["wisdom"]["low"], found["wisdom"]["high"]
    assert low is not None
    assert high is not None
    assert "wisdom" not in uncertain(found, Weakness(), Evolution(uncertain_width=round(high - low, 9)))


def test_the_cautious_bound_is_one_sided(scored: Scored) -> None:
    found = scored(0.2, 0.3, 0.3, 0.2)["wisdom"]
    assert found["low"] is not None
    assert found["lower_bound"] is not None
    assert found["low"] < found["lower_bound"] < found["mean"]


def test_of_trials_in_which_a_virtue_was_not_scored_nothing_is_asked(
    judged: Callable[..., StoicEvaluation], finding: Callable[..., VirtueFinding]
) -> None:
    other = judged("t2", "b", 0.5, virtues={"courage": finding(0.5)})
    found = objectives([judged("t1", "a", 0.5, calibrated=frozenset({"wisdom"})), other], {})
    assert (found["wisdom"]["calibrated"], found["courage"]["calibrated"]) == (1.0, 0.0)


def test_a_virtue_without_floor_violates_none(judged: Callable[..., StoicEvaluation]) -> None:
    found = objectives([judged("t1", "a", 0.1)], {"courage": 0.5})
    assert found["wisdom"]["floor"] is None
    assert below_floor(found) == []


def test_the_deepest_violation_comes_first(scored: Scored) -> None:
    assert below_floor(scored(0.3, 0.3, floor=0.86)) == ["wisdom", *VIRTUES[1:]]


def test_the_worst_virtue_is_the_balanced_fitness_and_nobody_can_buy_it(scored: Scored) -> None:
    assert balanced(scored(0.3, 0.4)) == pytest.approx(0.35)
    assert balanced(scored(1.0, 1.0)) == pytest.approx(0.85)
    assert balanced(scored(0.3, 0.4, alone=True)) is None


def test_what_was_not_scored_or_not_estimable_or_not_sure_is_measured_again(scored: Scored) -> None:
    weakness, evolution = Weakness(), Evolution(uncertain_width=0.3)
    others = list(VIRTUES[1:])
    narrow = (0.60, 0.62, 0.61, 0.60)
    assert uncertain(scored(*narrow), weakness, evolution) == []
    assert uncertain(scored(*narrow, alone=True), weakness, evolution) == others
    assert uncertain(scored(0.6, 0.6, 0.6, 0.6), weakness, evolution) == ["wisdom"]  # no spread
    assert uncertain(scored(0.2, 1.0, 0.3, 0.9), weakness, evolution) == ["wisdom"]
    assert uncertain(scored(*narrow, confidence=0.7), weakness, evolution) == ["wisdom"]
    assert uncertain(scored(*narrow), weakness, Evolution(uncertain_width=0.001)) == list(VIRTUES)


def test_a_weak_virtue_stays_weak_however_wide_its_interval(scored: Scored) -> None:
    found = scored(0.1, 0.9, 0.2)
    assert list(severities(found, Weakness())) == ["wisdom"]
    assert "wisdom" in uncertain(found, Weakness(), Evolution())
