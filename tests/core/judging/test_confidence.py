from dataclasses import replace
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.judging.confidence import samples_alike, with_confidence
from stoic_assets.core.judging.confidence_map import Calibration, ConfidenceMap
from stoic_assets.core.judging.scores import VirtueScore
from stoic_assets.core.virtues import Virtue


def verdict(
    score: float | None, sample: int = 0, virtue: Virtue = "wisdom", grounded: float | None = 1.0
) -> VirtueScore:
    own = {"score": score, "self_confidence": 0.8, "grounded": grounded, "exercised": score is not None}
    return VirtueScore("t", virtue, "judge", sample, "hash", **own)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=8))
def test_three_verdicts_speak_by_their_spread(scores: list[float]) -> None:
    rows = with_confidence([verdict(score, n) for n, score in enumerate(scores)])
    assert {row.confidence_source for row in rows} == {"spread"}
    assert [row.confidence for row in rows] == pytest.approx([max(0.0, 1 - 2 * stdev(scores))] * len(scores))
    assert [row.score for row in rows] == scores


@pytest.mark.parametrize(("grounded", "confidence"), [(1.0, 0.8), (0.5, 0.6), (0.0, 0.4), (None, 0.8)])
def test_fewer_take_the_judges_word_lowered_by_false_quotes(grounded: float | None, confidence: float) -> None:
    rows = with_confidence([verdict(0.9, 0, grounded=grounded), verdict(0.1, 1, grounded=grounded)])
    assert [row.confidence for row in rows] == pytest.approx([confidence, confidence])
    assert {row.confidence_source for row in rows} == {"self"}


def test_only_scored_verdicts_of_the_same_virtue_count() -> None:
    rows = with_confidence([verdict(0.5, 0), verdict(0.7, 1), verdict(None, 2), verdict(0.6, 0, "courage")])
    assert [row.confidence_source for row in rows] == ["self", "self", None, "self"]
    assert rows[2].confidence is None


def test_a_wide_spread_is_worth_nothing() -> None:
    assert with_confidence([verdict(0.0, 0), verdict(1.0, 1), verdict(0.0, 2)])[0].confidence == 0


SPREAD = ConfidenceMap(
    virtue="wisdom", judges=("judge",), signal="spread", prompt_hashes=("hash",), points=((0.0, 0.9), (0.2, 0.5))
)
WORD = ConfidenceMap(
    virtue="wisdom", judges=("judge",), signal="self", prompt_hashes=("hash",), points=((0.0, 0.1), (1.0, 0.6))
)


def test_with_a_map_confidence_comes_from_it() -> None:
    known = Calibration([SPREAD, WORD])
    three = with_confidence([verdict(0.4, 0), verdict(0.5, 1), verdict(0.6, 2)], known)
    assert [row.confidence for row in three] == pytest.approx([0.7] * 3)
    assert {row.confidence_source for row in three} == {"calibrated"}
    [one] = with_confidence([verdict(0.4, grounded=0.5)], known)
    assert (one.confidence, one.confidence_source) == (pytest.approx(0.1 + 0.5 * 0.6), "calibrated")


def test_a_map_of_other_judges_prompts_or_virtues_changes_nothing() -> None:
    rows = [verdict(0.4, 0), verdict(0.5, 1), verdict(0.6, 2), verdict(0.6, 0, "courage"), verdict(None, 3)]
    for change in ({"judges": ("judge", "other")}, {"prompt_hashes": ("new",)}, {"virtue": "justice"}):
        other = Calibration([SPREAD.model_copy(update=change), WORD.model_copy(update=change)])
        assert with_confidence(rows, other) == with_confidence(rows)
    assert with_confidence(rows, Calibration([SPREAD]))[3:] == with_confidence(rows)[3:]


def test_a_judges_word_is_translated_by_its_own_map_beside_another_judge_too() -> None:
    rows = with_confidence([verdict(0.4), replace(verdict(0.5), judge_model="other")], Calibration([WORD]))
    assert [row.confidence_source for row in rows] == ["calibrated", "self"]


def test_a_panel_that_was_asked_in_two_ways_has_no_map() -> None:
    rows = [verdict(0.4, 0), verdict(0.5, 1), replace(verdict(0.6, 2), prompt_hash="new")]
    assert {row.confidence_source for row in with_confidence(rows, Calibration([SPREAD]))} == {"spread"}


@pytest.mark.parametrize(
    ("samples", "models", "temperature", "alike"),
    [(3, 1, 0.0, True), (2, 1, 0.0, False), (3, 1, 0.1, False), (3, 2, 0.0, False)],
)
def test_samples_that_a_judge_repeats_are_told(samples: int, models: int, temperature: float, alike: bool) -> None:
    assert (samples_alike(samples, models, temperature) is not None) is alike
