"""Whose confidences are shown."""

import pytest

from stoic_assets.core.presentation.confidence import UNCALIBRATED, calibrated_share, whose_confidence


@pytest.mark.parametrize(("sources", "share"), [([], 0.0), (["self"], 0.0), (["calibrated", "spread"], 0.5)])
def test_the_share_of_calibrated_confidences_is_told(sources: list[str], share: float) -> None:
    unscored = {"score": None, "confidence_source": "calibrated"}
    assert calibrated_share([*({"score": 0.5, "confidence_source": each} for each in sources), unscored]) == share
    told = "50% of the confidences are calibrated against people." if share else UNCALIBRATED
    assert whose_confidence(share) == told
