from collections.abc import Callable

import pytest

from stoic_assets.core.comparison.side import Side


@pytest.mark.parametrize(("scored", "invalid", "share"), [(9, 1, 0.1), (0, 4, 1.0), (5, 0, 0.0), (0, 0, 0.0)])
def test_invalid_trials_are_a_share_of_those_that_ended(
    make_side: Callable[..., Side], scored: int, invalid: int, share: float
) -> None:
    assert make_side(scored_trials=scored, invalid_trials=invalid).invalid_share == pytest.approx(share)
