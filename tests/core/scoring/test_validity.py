"""The share of invalid trials, and the verdict that may rest on the others."""

import pytest

from stoic_assets.core.evaluation.status import INCOMPLETE, REGRADING
from stoic_assets.core.scoring.validity import ceiling_reached, conclusive, invalid_share, too_many_invalid


@pytest.mark.parametrize(("scored", "invalid", "share"), [(9, 1, 0.1), (0, 1, 1.0), (5, 0, 0.0), (0, 0, 0.0)])
def test_invalid_trials_are_a_share_of_those_that_ended(scored: int, invalid: int, share: float) -> None:
    assert invalid_share(scored, invalid) == share


@pytest.mark.parametrize(
    ("scored", "invalid", "enough"), [(9, 1, True), (8, 1, False), (1, 0, True), (0, 0, False), (0, 1, False)]
)
def test_a_verdict_needs_a_scored_trial_and_few_invalid_ones(scored: int, invalid: int, enough: bool) -> None:
    assert conclusive(scored, invalid, threshold=0.1) is enough


@pytest.mark.parametrize(
    ("invalid", "ended", "said"),
    [(1, 1, "1 of 1 trial is"), (1, 6, "1 of 6 trials is"), (2, 6, "2 of 6 trials are")],
)
def test_invalid_trials_are_counted_in_a_whole_sentence(invalid: int, ended: int, said: str) -> None:
    message = too_many_invalid(invalid, ended, threshold=0.1)
    assert message == f"{said} invalid, more than the 10 % that stoic.yml allows"


@pytest.mark.parametrize(("threshold", "allowed"), [(0.005, "0.5 %"), (0.0125, "1.25 %"), (0.07, "7 %"), (0, "0 %")])
def test_the_share_that_is_allowed_is_told_as_it_was_set(threshold: float, allowed: str) -> None:
    assert too_many_invalid(2, 20, threshold).endswith(f"more than the {allowed} that stoic.yml allows")


@pytest.mark.parametrize(
    ("ended", "lacking"),
    [
        (3, "3 of 4 trials were run before the cost ceiling was reached"),
        (4, "the cost ceiling was reached before all verdicts were given"),
    ],
)
def test_after_the_last_trial_only_verdicts_are_lacking(ended: int, lacking: str) -> None:
    message = ceiling_reached("marcus@1.0", "E", INCOMPLETE, ended, planned=4)
    assert message.startswith(f"{lacking}; continue with `stoic eval ")
    assert message.endswith("--agent-version marcus@1.0 --resume E` and a higher --max-cost")


def test_judging_again_that_reached_the_ceiling_needs_a_higher_one() -> None:
    message = ceiling_reached("marcus@1.0", "E", REGRADING, ended=4, planned=4)
    assert message.endswith("--agent-version marcus@1.0 --evaluation E` (same options) and a higher --max-cost")
