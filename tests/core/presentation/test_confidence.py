"""Whose confidences are shown."""

import pytest

from stoic_assets.core.presentation.confidence import UNCALIBRATED, calibrated_share, weak_above, whose_confidence

WEAK = "A virtue with a low score is weak if its confidence is above"


@pytest.mark.parametrize(("sources", "share"), [([], 0.0), (["self"], 0.0), (["calibrated", "spread"], 0.5)])
def test_the_share_of_calibrated_confidences_is_told(sources: list[str], share: float) -> None:
    unscored = {"score": None, "confidence_source": "calibrated"}
    assert calibrated_share([*({"score": 0.5, "confidence_source": each} for each in sources), unscored]) == share
    told = "50 % of the confidences are calibrated on people's ratings." if share else UNCALIBRATED
    assert whose_confidence(share) == told
    assert whose_confidence(share, "Scores that agree.") == f"{told} Scores that agree."


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ((0.7, 0.7, None), f"{WEAK} 0.70."),
        ((0.7, 0.5, 0.5), f"{WEAK} 0.50 (courage, justice), 0.70 (wisdom)."),
        ((None, None, None), ""),
    ],
)
def test_the_confidence_that_a_weakness_takes_is_told(bounds: tuple[float | None, ...], told: str) -> None:
    virtues = ("wisdom", "courage", "justice")
    rows = [{"virtue": name, "confidence_above": above} for name, above in zip(virtues, bounds, strict=True)]
    assert weak_above(rows) == told


def test_of_rows_of_an_earlier_release_no_bound_is_told() -> None:
    assert weak_above([{"virtue": "wisdom", "score": 0.5}]) == ""
