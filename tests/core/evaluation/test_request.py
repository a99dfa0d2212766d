from typing import Any

import pytest

from stoic_assets.core.evaluation.request import EvaluationRequest


@pytest.mark.parametrize("wrong", [{"repeats": 0}, {"judge_samples": 51}, {"conditions": "all"}, {"unknown": 1}])
def test_a_request_is_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        EvaluationRequest.model_validate(wrong)
