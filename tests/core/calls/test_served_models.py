"""What is said of models that answered to the names of others."""

from typing import Any

import pytest

from stoic_assets.core.calls.served_models import exchanged, served_models, several_served


def call(served: str | None, model: str = "sage", role: str = "judge") -> dict[str, Any]:
    return {"role": role, "model": model, "served_model": served}


def test_a_judge_as_which_several_models_answered_is_named_with_them() -> None:
    calls = [call("cheap"), *[call("sage-2026")] * 40, call("other-1", "other")]
    [told] = several_served(served_models(calls))
    assert "judge sage several models answered" in told
    assert "differently: sage-2026 (40 replies), cheap (1 reply), those to earlier judgings included" in told
    calls += [call("other-2", "other")]
    both = several_served(served_models(calls))
    assert [told.split(" several")[0] for told in both] == ["as judge other", "as judge sage"]


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
    assert several_served(served_models(calls)) == []


def test_a_name_that_another_model_answers_to_is_told_with_both() -> None:
    base = served_models([call("sage-1"), call("sage-0"), call("user-1", "cheap", "evaluator")])
    candidate = served_models([call("sage-2"), call("user-2", "cheap", "evaluator")])
    assert exchanged(base, candidate, "judge") == ["sage was answered by sage-0, sage-1, then by sage-2"]
    assert exchanged(base, candidate, "evaluator") == ["cheap was answered by user-1, then by user-2"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([call("sage-1")], [call("sage-1")]),
        ([call("sage-1")], [call("sage-1"), call("sage-2")]),
        ([call(None)], [call("sage-2")]),
        ([call("sage-1")], []),
        ([call("sage-1")], [call("other-1", "other")]),
        ([call("sage-1")], [call("sage-2", role="evaluator")]),
    ],
)
def test_what_may_be_the_same_model_is_not_told(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    for base, candidate in ((before, after), (after, before)):
        assert exchanged(served_models(base), served_models(candidate), "judge") == []
