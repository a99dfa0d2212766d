"""Which expressions are seen to be no Boolean whatever the data; what may be one is let through."""

import pytest

from stoic_assets.core.assertions.kotlin.evaluation import check
from stoic_assets.core.assertions.kotlin.kinds import never_true
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionFailure

THING = {"id": "1", "name": "a", "x": True, "size": True, "type": "T", "args": {"ok": True}, "labels": []}
EVENT = THING | {"content": True}
MESSAGE = {"content": "Hi", "role": "user", "timeTakenMillis": 1, "events": [EVENT]}
DATA = {
    "objectContext": {"context": True, "resources": [THING], "entities": [THING], "functions": [THING]},
    "evaluation": {
        "sessionId": "s", "model": "m", "job": {"ok": True}, "transcript": [MESSAGE], "events": [EVENT],
        "functionCalls": [{"function": "f", "args": {"ok": True}}], "failureCount": 0, "done": True, "secretsTold": 0,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("1 + 1", "Number or String"),
        ("7 % 2", "Number"),
        ("-evaluation.failureCount", "Number"),
        ("null", "null"),
        ('"true"', "String"),
        ('"${evaluation.done}"', "String"),
        ("listOf(true)", "List"),
        ("evaluation", "Map"),
        ("evaluation.job", "Map"),
        ("evaluation.failureCount", "Number"),
        ("evaluation.secretsTold", "Number"),
        ("objectContext.entities", "List"),
        ("objectContext.entities.size", "Number"),
        ("objectContext.entities.filter { it.x == true }", "List"),
        ("objectContext.entities.map { it.x }.size", "Number"),
        ("objectContext.entities.count { it.x == true }", "Number"),
        ("objectContext.entities.firstOrNull { it.x == true }", "Object"),
        ("objectContext.entities.filter { it.x == true }.first()!!", "Object"),
        ("objectContext.entities.first().name.trim()", "String"),
        ("(evaluation.events.count { it.x == true })", "Number"),
        ("evaluation.transcript.last().content", "String"),
        ("evaluation.transcript[0].timeTakenMillis", "Number"),
        ("evaluation.transcript.lastOrNull()?.events?.size", "Number"),
        ("evaluation.functionCalls.first { it.args.ok == true }!!.function", "String"),
        ("!objectContext.entities.size", "Number"),
        ("evaluation.done && objectContext.entities.size", "Number"),
        ("objectContext.entities.size || evaluation.done", "Number"),
        ("evaluation.events.count() ?: evaluation.failureCount", "Number"),
    ],
)
def test_what_is_never_a_boolean_is_seen(expression: str, kind: str) -> None:
    parsed = parse_expression(expression)
    assert never_true(parsed) == kind
    with pytest.raises(ExpressionFailure):
        check(parsed, DATA)


@pytest.mark.parametrize(
    "expression",
    [
        "true",
        "evaluation.done",
        "objectContext.context",
        "evaluation.job.ok",
        'evaluation.job["ok"]',
        "objectContext.entities.first().x",
        "objectContext.entities.first().size",
        "objectContext.entities.map { it.x }.first()",
        "objectContext.entities.map { it.x }.find { it == true }!!",
        "objectContext.entities.first().args.ok",
        "evaluation.functionCalls.first().args.ok",
        "evaluation.events.first().content",
        "objectContext.entities.find { it.x == false }?.x ?: true",
        "evaluation.done || objectContext.entities.size",
        "!(evaluation.failureCount > 0 && objectContext.entities.size)",
        "objectContext.entities.size > 0 && !evaluation.events.isEmpty()",
        "objectContext.entities.filter { it.x == true }.any()",
        'evaluation.model == "m"',
        '"a" in listOf("a")',
    ],
)
def test_what_holds_for_some_data_is_let_through(expression: str) -> None:
    parsed = parse_expression(expression)
    assert never_true(parsed) is None
    assert check(parsed, DATA)
