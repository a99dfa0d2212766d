"""What a run configuration may ask of judges."""

import pytest
from pydantic import ValidationError

from stoic_assets.defs.judging import JudgingConfig


@pytest.mark.parametrize("wanted", [{"samples": 0}, {"samples": 51}, {"max_cost": -1.0}])
def test_numbers_that_a_command_refuses_are_refused(wanted: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="than or equal"):
        JudgingConfig(**wanted)


def test_nothing_need_be_said() -> None:
    assert (JudgingConfig().samples, JudgingConfig(samples=50, max_cost=0).samples) == (None, 50)
