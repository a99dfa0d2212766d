from typing import Any

import pytest

from stoic_assets.core.judging.served_models import several_served


def call(served: str | None, model: str = "sage", role: str = "judge") -> dict[str, Any]:
    return {"role": role, "model": model, "served_model": served}


def test_a_judge_as_which_several_models_answered_is_named_with_them() -> None:
    calls = [call("cheap"), *[call("sage-2026")] * 40, call("other-1", "other")]
    [told] = several_served(calls)
    assert "judge sage several models answered" in told
    assert "differently: sage-2026 (40 replies), cheap (1 reply), those to earlier judgings included" in told
    calls += [call("other-2", "other")]
    assert [told.split(" several")[0] for told in several_served(calls)] == ["as judge other", "as judge sage"]


@pytest.mark.parametrize(
    "calls",
    [
        [],
        [call("sage-2026"), call("sage-2026")],
        [call("sage-2026"), call(None)],
        [call("sage-2026"), call("other-1", "other")],
        [call("zeno-1", role="evaluator"), call("zeno-2", role="evaluator")],
        [call("sage-2026"), call("cheap", role="evaluator")],
    ],
)
def test_no_other_judge_is(calls: list[dict[str, Any]]) -> None:
    assert several_served(calls) == []
