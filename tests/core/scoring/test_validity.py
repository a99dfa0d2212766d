"""The share of invalid trials, and the verdict that may rest on the others."""

import pytest

from stoic_assets.core.scoring.validity import conclusive, invalid_share


@pytest.mark.parametrize(("scored", "invalid", "share"), [(9, 1, 0.1), (0, 4, 1.0), (5, 0, 0.0), (0, 0, 0.0)])
def test_invalid_trials_are_a_share_of_those_that_ended(scored: int, invalid: int, share: float) -> None:
    assert invalid_share(scored, invalid) == share


@pytest.mark.parametrize(
    ("scored", "invalid", "enough"), [(9, 1, True), (8, 1, False), (1, 0, True), (0, 0, False), (0, 1, False)]
)
def test_a_verdict_needs_a_scored_trial_and_few_invalid_ones(scored: int, invalid: int, enough: bool) -> None:
    assert conclusive(scored, invalid, threshold=0.1) is enough
