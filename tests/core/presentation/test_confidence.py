"""Whose confidences are shown."""

import pytest

from stoic_assets.core.presentation.confidence import (
    calibrated_share,
    confidence_sources,
    shown_confidence,
    weak_above,
    whose_confidence,
)

WEAK = "A virtue with a low score is weak if its confidence is above"


NOT_CALIBRATED = "not calibrated on people's ratings."


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ([], ""),
        (["self", "self"], f"The confidences are the judges' own, {NOT_CALIBRATED}"),
        (["spread"], f"The confidences come from the spread of the verdicts and are {NOT_CALIBRATED}"),
        (["spread", "self"], f"The confidences are {NOT_CALIBRATED}"),
        ([None], f"The confidences are {NOT_CALIBRATED}"),
        (["calibrated", "spread"], "50 % of the confidences are calibrated on people's ratings."),
    ],
)
def test_where_the_confidences_come_from_is_told(sources: list[str | None], told: str) -> None:
    unscored = {"score": None, "confidence_source": "calibrated"}
    found = confidence_sources([*({"score": 0.5, "confidence_source": each} for each in sources), unscored])
    assert calibrated_share(found) == (0.5 if "calibrated" in sources else 0)
    assert whose_confidence(found) == told
    assert whose_confidence(found, "Scores that agree.") == f"{told} Scores that agree.".lstrip()


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ((0.7, 0.7, None), f"{WEAK} 0.70."),
        ((0.7, 0.5, 0.5), f"{WEAK} 0.50 (courage, justice), 0.70 (wisdom)."),
        ((0.725, 0.725, None), f"{WEAK} 0.725."),
        ((2 / 3, 0.6875, 0.69), f"{WEAK} 0.667 (wisdom), 0.688 (courage), 0.69 (justice)."),
        ((None, None, None), ""),
    ],
)
def test_the_confidence_that_a_weakness_takes_is_told(bounds: tuple[float | None, ...], told: str) -> None:
    virtues = ("wisdom", "courage", "justice")
    rows = [{"virtue": name, "confidence_above": above} for name, above in zip(virtues, bounds, strict=True)]
    assert weak_above(rows) == told


@pytest.mark.parametrize(
    ("found", "above", "shown"),
    [(0.7004, 0.7, "0.7004"), (0.6996, 0.7, "0.6996"), (0.7, 0.7, "0.70"), (0.7004, None, "0.70"), (None, 0.7, "–")],
)
def test_a_confidence_is_seen_to_be_above_the_bound_or_not(
    found: float | None, above: float | None, shown: str
) -> None:
    assert shown_confidence({"virtue": "wisdom", "confidence": found, "confidence_above": above}) == shown


def test_of_rows_of_an_earlier_release_no_bound_is_told() -> None:
    assert weak_above([{"virtue": "wisdom", "score": 0.5}]) == ""
