"""Confidence maps of judges whose certainty is known to mean something, or nothing."""

from collections.abc import Callable
from statistics import stdev
from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from stoic_assets.core.calibration.map_fitting import CheckedConfidence, Fitted, KnownVerdicts, fitted
from stoic_assets.core.judging.confidence import by_spread
from stoic_assets.core.ratings.reliability.estimate import Resampling

Row = dict[str, Any]
TRUTH = 0.5


def rated(trials: int, raters: int = 3) -> dict[str, dict[str, float]]:
    """Three people who differ, and agree on `TRUTH` as a mean."""
    return {f"t{number}": dict(zip("abc"[:raters], (0.2, TRUTH, 0.8), strict=False)) for number in range(trials)}


def value(found: Fitted, name: str) -> float:
    estimate = found.measures[name].estimate
    assert estimate is not None, found.measures[name].why
    return estimate


@pytest.fixture
def telling(verdict: Callable[..., Row]) -> Callable[..., dict[str, list[Row]]]:
    """A judge that is right when its three verdicts agree, and wrong when they are far apart."""

    def make(trials: int) -> dict[str, list[Row]]:
        sure, torn = (0.48, 0.5, 0.52), (0.5, 0.9, 1.0)
        return {
            f"t{number}": [
                verdict(f"t{number}", score, sample=sample) for sample, score in enumerate(torn if number % 3 else sure)
            ]
            for number in range(trials)
        }

    return make


@pytest.fixture
def boastful(verdict: Callable[..., Row]) -> dict[str, list[Row]]:
    """A judge that says 0.95 throughout and is right in three of five trials."""
    return {
        f"t{number}": [verdict(f"t{number}", TRUTH if number % 5 < 3 else 1.0, self_confidence=0.95)]
        for number in range(100)
    }


def test_the_spread_tells_when_to_trust(telling: Callable, quick: Resampling) -> None:
    judged = telling(61)
    judged["t60"] = [row | {"prompt_hash": "p2"} for row in judged["t60"]]  # which nobody rated
    found = fitted("wisdom", ("gpt",), "spread", judged, rated(60), quick)
    assert found.map is not None
    assert found.map.confidence(0.02) > 0.95
    assert found.map.confidence(0.26) < 0.05
    assert value(found, "map_spread") == pytest.approx(1 / 3)
    assert value(found, "brier_spread") < 0.01
    wrong = 1 - 2 * stdev((0.5, 0.9, 1.0))
    assert value(found, "brier_uncalibrated_spread") == pytest.approx((0.04**2 + 2 * wrong**2) / 3)
    assert value(found, "ece_uncalibrated_spread") == pytest.approx((0.04 + 2 * wrong) / 3)
    assert value(found, "ece_spread") < value(found, "ece_uncalibrated_spread")
    for name, estimate in found.measures.items():
        assert (estimate.low is None) is name.startswith("ece")
        assert ("compare brier" in str(estimate.why)) is name.startswith("ece")
    assert found.map.prompt_hashes == ("p1",)


def test_a_boast_is_brought_down_to_what_it_is_worth(boastful: dict[str, list[Row]], quick: Resampling) -> None:
    found = fitted("wisdom", ("gpt",), "self", boastful, rated(100), quick)
    assert found.map is not None
    assert found.map.confidence(0.95) == pytest.approx(0.6)
    assert value(found, "ece_uncalibrated_self") == pytest.approx(0.35)
    assert value(found, "brier_uncalibrated_self") == pytest.approx(0.6 * 0.05**2 + 0.4 * 0.95**2)
    assert value(found, "ece_self") < 0.1
    assert value(found, "brier_self") == pytest.approx(0.24, abs=0.02)
    assert [(each.confidence, each.right, each.verdicts) for each in found.map.before] == [
        (pytest.approx(0.95), pytest.approx(0.6), 100)
    ]
    assert sum(each.verdicts for each in found.map.after) == 100
    assert all(each.confidence == pytest.approx(0.6, abs=0.1) for each in found.map.after)


def test_reliability_is_measured_on_unseen_trials(verdict: Callable[..., Row], quick: Resampling) -> None:
    # Words that say nothing: a map fitted and tested on the same trials would find order in them.
    random = np.random.default_rng(2)
    judged = {
        f"t{number}": [verdict(f"t{number}", random.choice([TRUTH, 1.0]), self_confidence=float(random.random()))]
        for number in range(120)
    }
    found = fitted("wisdom", ("gpt",), "self", judged, rated(120), quick)
    assert value(found, "brier_self") > 0.25, "worse than to say 0.5 throughout"


def test_what_one_map_promises_too_much_another_does_not_make_good() -> None:
    right, half = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 1, 0, 1])
    seen = KnownVerdicts(signal=right, before=right, right=right, trial=np.arange(4))
    assert CheckedConfidence(seen, np.full(4, 0.5), half).calibration_error().estimate == 0.5
    assert CheckedConfidence(seen, np.full(4, 0.5), np.zeros_like(half)).calibration_error().estimate == 0.0
    in_next_tenth = np.array([0.65, 0.55, 0.65, 0.55])
    assert CheckedConfidence(seen, in_next_tenth, half).calibration_error().estimate == pytest.approx(0.55)


def test_an_own_word_is_no_less_reliable_for_being_right_by_chance_in_one_half(
    verdict: Callable[..., Row], quick: Resampling
) -> None:
    marks = [1.0] * 30 + [TRUTH] * 30
    judged = {f"t{number}": [verdict(f"t{number}", mark, self_confidence=0.5)] for number, mark in enumerate(marks)}
    found = fitted("wisdom", ("gpt",), "self", judged, rated(60), quick)
    assert value(found, "ece_uncalibrated_self") == pytest.approx(0)
    assert value(found, "ece_self") > 0


def test_a_confidence_is_compared_among_those_of_its_tenth() -> None:
    confidence, right = np.array([0.05, 0.1, 0.85, 0.95, 1.0]), np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    seen = KnownVerdicts(signal=right, before=right, right=right, trial=np.array([0, 1, 2, 2, 3]))
    checked = CheckedConfidence(seen, confidence, np.zeros(5, dtype=np.intp))
    assert [(each.confidence, each.right, each.verdicts) for each in checked.bins()] == [
        (0.05, 0, 1), (0.1, 1, 1), (0.85, 1, 1), (pytest.approx(1.475 / 1.5), pytest.approx(1 / 1.5), 2),
    ]  # fmt: skip
    assert checked.calibration_error().estimate == pytest.approx((0.05 + 0.9 + 0.075 + 0.475) / 4)


def test_a_confidence_that_differs_by_rounding_alone_is_in_the_same_tenth() -> None:
    confidence, right = np.array([0.8, by_spread((0.7, 0.8, 0.9))]), np.array([1.0, 0.0])
    assert confidence[1] < 0.8
    seen = KnownVerdicts(signal=right, before=confidence, right=right, trial=np.arange(2))
    checked = CheckedConfidence(seen, confidence, np.zeros(2, dtype=np.intp))
    assert [each.verdicts for each in checked.bins()] == [2]
    assert checked.calibration_error().estimate == pytest.approx(0.3)


def test_a_verdict_without_the_judges_own_word_tells_nothing(verdict: Callable[..., Row], quick: Resampling) -> None:
    judged = {
        f"t{number}": [
            verdict(f"t{number}", TRUTH), verdict(f"t{number}", 1.0, sample=1, self_confidence=None),
        ]
        for number in range(30)
    }  # fmt: skip
    found = fitted("wisdom", ("gpt",), "self", judged, rated(30), quick)
    assert value(found, "map_self") == 1
    judged["t0"] = judged["t0"][1:]
    assert fitted("wisdom", ("gpt",), "self", judged, rated(30), quick).map is None


def test_a_map_names_each_prompt_of_its_verdicts_once(verdict: Callable[..., Row], quick: Resampling) -> None:
    prompts = ["p3", None, "p1", "p2"] * 10
    judged = {f"t{number}": [verdict(f"t{number}", TRUTH, prompt_hash=name)] for number, name in enumerate(prompts)}
    judged["t0"] += [verdict("t0", TRUTH, judge_model="sage", prompt_hash="p4")]
    found = fitted("wisdom", ("gpt", "sage"), "self", judged, rated(40), quick).map
    assert found is not None
    assert found.prompt_hashes == ("", "p1", "p2", "p3", "p4")


def test_no_map_is_surer_than_its_trials_allow(verdict: Callable[..., Row], quick: Resampling) -> None:
    judged = {f"t{number}": [verdict(f"t{number}", TRUTH)] for number in range(30)}
    found = fitted("wisdom", ("gpt",), "self", judged, rated(30), quick)
    assert found.map is not None
    assert found.map.confidence(0.9) == pytest.approx(31 / 32)


@pytest.mark.parametrize(("trials", "raters"), [(29, 3), (60, 2), (0, 3)])
def test_with_too_few_ratings_it_says_so(telling: Callable, quick: Resampling, trials: int, raters: int) -> None:
    found = fitted("wisdom", ("gpt",), "spread", telling(trials), rated(trials, raters), quick)
    assert found.map is None
    own = fitted("wisdom", ("gpt",), "self", telling(trials), rated(trials, raters), quick)
    count = trials if raters >= 3 else 0
    for fit, further in ((found, " and with 3 verdicts"), (own, "")):
        assert {estimate.estimate for estimate in fit.measures.values()} == {None}
        assert {estimate.why for estimate in fit.measures.values()} == {
            f"not calibrated: 30 replies rated by 3 people{further} are needed; there are {count}"
        }


def test_two_verdicts_have_no_spread(telling: Callable, quick: Resampling) -> None:
    judged = {trial: rows[:2] for trial, rows in telling(60).items()}
    assert fitted("wisdom", ("gpt",), "spread", judged, rated(60), quick).map is None


def test_several_verdicts_on_one_trial_are_no_further_trials(telling: Callable, quick: Resampling) -> None:
    assert fitted("wisdom", ("gpt",), "self", telling(29), rated(29), quick).map is None


@pytest.mark.parametrize("truth", [TRUTH, 0.55])  # in binary 0.55 - 0.425 is more than an eighth
def test_an_eighth_away_is_right_and_more_is_not(
    verdict: Callable[..., Row], quick: Resampling, truth: float
) -> None:
    scores = [round(truth + off, 3) for off in (0.125, -0.125, 0.13, -0.13)] * 10
    judged = {f"t{number}": [verdict(f"t{number}", score)] for number, score in enumerate(scores)}
    people = {trial: dict.fromkeys("abc", truth) for trial in judged}
    assert value(fitted("wisdom", ("gpt",), "self", judged, people, quick), "map_self") == 0.5


def test_verdicts_on_one_trial_share_its_weight(verdict: Callable[..., Row], quick: Resampling) -> None:
    judged = {f"t{number}": [verdict(f"t{number}", TRUTH)] for number in range(20)}
    judged |= {f"t{n}": [verdict(f"t{n}", 1.0, sample=sample) for sample in range(9)] for n in range(20, 40)}
    found = fitted("wisdom", ("gpt",), "self", judged, rated(40), quick)
    assert value(found, "map_self") == pytest.approx(0.5)
    assert value(found, "ece_uncalibrated_self") == pytest.approx(0.9 - 0.5)
    assert value(found, "brier_uncalibrated_self") == pytest.approx((0.1**2 + 0.9**2) / 2)
    assert found.map is not None
    assert [(each.right, each.verdicts) for each in found.map.before] == [(pytest.approx(0.5), 200)]


def test_false_quotes_lower_the_word(verdict: Callable[..., Row], quick: Resampling) -> None:
    judged = {f"t{number}": [verdict(f"t{number}", TRUTH, grounded=0.0)] for number in range(40)}
    found = fitted("wisdom", ("gpt",), "self", judged, rated(40), quick)
    assert found.map is not None
    assert found.map.points[0][0] == pytest.approx(0.45)


@pytest.mark.parametrize("decimals", [1, 15])
def test_the_map_is_that_of_scikit_learn(verdict: Callable[..., Row], quick: Resampling, decimals: int) -> None:
    random = np.random.default_rng(5)
    words = random.random((60, 2)).round(decimals)
    right = random.random((60, 2)) < words
    judged = {
        f"t{number}": [
            verdict(f"t{number}", TRUTH if is_right else 1.0, self_confidence=word)
            for word, is_right in zip(words[number, : 1 + number % 2], right[number], strict=False)
        ]
        for number in range(60)
    }
    found = fitted("wisdom", ("gpt",), "self", judged, rated(60), quick).map
    assert found is not None
    given = np.arange(2) <= np.arange(60)[:, None] % 2  # one verdict on every other trial, two on the rest
    weights = np.broadcast_to(1 / given.sum(axis=1, keepdims=True), given.shape)
    model = IsotonicRegression(y_min=1 / 62, y_max=61 / 62, out_of_bounds="clip")
    model.fit(words[given], right[given], sample_weight=weights[given])
    asked = np.linspace(0, 1, 201)
    assert [found.confidence(value) for value in asked] == pytest.approx(model.predict(asked), abs=1e-6)
    assert [height for _, height in found.points] == pytest.approx(model.y_thresholds_)


def test_spreads_that_differ_by_rounding_alone_are_one(verdict: Callable[..., Row], quick: Resampling) -> None:
    right, wrong = (0.3, 0.4, 0.5), (0.6, 0.7, 0.8)
    assert 0 < stdev(wrong) - stdev(right) < 1e-15
    judged = {
        f"t{number}": [verdict(f"t{number}", mark, sample=n) for n, mark in enumerate(wrong if number % 2 else right)]
        for number in range(60)
    }
    found = fitted("wisdom", ("gpt",), "spread", judged, rated(60), quick).map
    assert found is not None
    assert found.points == ((0.1, pytest.approx(0.5)),)
