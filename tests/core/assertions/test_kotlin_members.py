"""Members that are refused before a trial, and all that the agent's data decides."""

from typing import Any

import pytest

from stoic_assets.core.assertions import bindings
from stoic_assets.core.assertions.bindings import ROOTS
from stoic_assets.core.assertions.kotlin.members import unknown_member
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.assertions.kotlin.values import kind


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ('evaluation.functionCalls.any { it.name == "refund" }', "name"),
        ('evaluation.functionCalls.none { call -> call.arguments["amount"] == 1 }', "arguments"),
        ('evaluation.functionCalls.filter { it.function == "a" }.all { it.arg == 1 }', "arg"),
        ('evaluation.functionCalls.first().name == "a"', "name"),
        ('evaluation.functionCalls[0]!!.name == "a"', "name"),
        ('evaluation.functionCalls.find { it.function == "a" }?.name == "a"', "name"),
        ('evaluation.done && evaluation.transcript.none { it.text.contains("sorry") }', "text"),
        ('evaluation.transcript.all { m -> evaluation.functionCalls.any { it.function == m.said } }', "said"),
    ],
)
def test_what_a_message_or_a_call_never_has_is_found(expression: str, name: str) -> None:
    found = unknown_member(parse_expression(expression))
    assert found is not None
    assert found[0] == name


@pytest.mark.parametrize(
    "expression",
    [
        'evaluation.functionCalls.any { it.function == "refund" && it.args.amount == 1 }',
        "evaluation.transcript.any { m -> m.events.any { it.output.ok } }",
        "evaluation.transcript.map { it.events }.any { it.size == 1 }",
        "evaluation.events.any { it.anything == 1 }",
        "objectContext.entities.any { it.due == 1 }",
        "objectContext.functions.any { it.kind == 1 }",
        'evaluation.job.tasks.any { it.task == "x" }',
        'evaluation.transcript.any { it.events.any { it.request.function.name == "a" } }',
    ],
)
def test_what_the_data_decides_is_left_to_it(expression: str) -> None:
    assert unknown_member(parse_expression(expression)) is None


def made() -> dict[str, dict[str, Any]]:
    """What expressions see of a trial with one of everything."""
    call = {"request": {"function": {"name": "note"}, "arguments": {}}}
    message: dict[str, Any] = {"content": "", "role": "user", "timeTakenMillis": 1, "events": [call]}
    thing = {"id": "1", "name": "n", "labels": ["DomainNode"]}
    return {
        "objectContext": bindings.object_context({"resources": [thing], "functions": [{}]}),
        "evaluation": bindings.evaluation(
            session_id="s", model="m", job={}, transcript=[message], failure_count=0, done=True
        ),
    }


def test_the_fields_are_those_that_are_made() -> None:
    for name in ("transcript", "functionCalls"):
        [element] = made()["evaluation"][name]
        fields = ROOTS["evaluation"][name].fields
        assert list(element) == list(fields)
        assert all(known in (None, kind(element[field])) for field, known in fields.items())


def test_each_member_is_of_the_kind_that_is_known_of_it() -> None:
    """What is of none may be a Boolean."""
    for root, members in ROOTS.items():
        for name, shape in members.items():
            value = made()[root][name]
            assert shape.kind in (None, kind(value))
            assert not shape.objects or {kind(element) for element in value} == {"Object"}
