"""What is a function call is one question, for judges as for assertions."""

from typing import Any

import pytest

from stoic_assets.core.assertions.bindings import evaluation
from stoic_assets.core.function_calls import FunctionCall, call_of
from stoic_assets.core.judging.exhibit import function_calls

NAMED = {"function": {"name": "f"}}


@pytest.mark.parametrize(
    ("event", "call"),
    [
        ({"request": NAMED | {"arguments": {"a": 1}, "context": "5"}}, FunctionCall("f", {"a": 1}, "5")),
        ({"request": NAMED}, FunctionCall("f", {}, None)),
        ({"request": NAMED | {"arguments": None}}, FunctionCall("f", {}, None)),
        ({"request": {"function": "f", "arguments": "x"}}, FunctionCall("f", "x", None)),
        ({"request": NAMED, "arguments": [1], "context": "5"}, FunctionCall("f", [1], "5")),
        ({"request": NAMED | {"arguments": {}}, "arguments": [1]}, FunctionCall("f", {}, None)),
        ({"request": {}}, None),
        ({"request": {"function": {}, "arguments": {"a": 1}}}, None),
        ({"request": {"function": {"name": None}}}, None),
        ({"request": {"function": 5}}, None),
        ({"request": "f"}, None),
        ({"function": {"name": "f"}}, None),
        ({"output": "saved"}, None),
        ({}, None),
    ],
)
def test_a_call_is_one_for_judges_and_for_assertions(event: dict[str, Any], call: FunctionCall | None) -> None:
    assert call_of(event) == call
    message = {"content": "", "role": "assistant", "timeTakenMillis": 0, "events": [event]}
    seen = evaluation(session_id="s", model="m", job={}, transcript=[message], failure_count=0, done=True)
    assert seen["functionCalls"] == ([{"function": call.name, "args": call.arguments}] if call else [])
    shown = function_calls([event])
    assert [line.split()[0] for line in shown] == (["f"] if call else [])
