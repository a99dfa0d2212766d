"""What a run configuration may ask of conversations."""

import pytest
from pydantic import ValidationError

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.defs.transcripts import ConversationConfig


@pytest.mark.parametrize("wanted", [{"at_once": 0}, {"max_cost": -1.0}])
def test_numbers_that_a_command_refuses_are_refused(wanted: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="greater than or equal"):
        ConversationConfig(**wanted)


@pytest.mark.parametrize("wanted", [{"repeats": 0}, {"judge_samples": 51}, {"conditions": "some"}])
def test_what_no_evaluation_can_be_is_told_in_one_line(wanted: dict[str, int | str]) -> None:
    [key] = wanted
    with pytest.raises(ConfigurationError, match=f"^{key}: [^\\n]+$"):
        ConversationConfig(**wanted).request()
