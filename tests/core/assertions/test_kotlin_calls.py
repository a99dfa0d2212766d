"""Calls are read in each way that Kotlin writes them, and refused where the arguments do not fit the function."""

import pytest

from stoic_assets.core.assertions.kotlin.expression import Call, Expression, Lambda, ListOf, Literal, Member, Name
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionError

RESOURCES = Member(Name("objectContext"), "resources", safe=False)
MODEL = Member(Name("evaluation"), "model", safe=False)


@pytest.mark.parametrize(
    "text",
    [
        "objectContext.resources.any { x -> x.done }",
        "objectContext.resources.any({ x -> x.done })",
        "objectContext.resources.any() { x -> x.done }",
        "objectContext /* a */ .resources // b\n .any { x -> /* c */ x.done }",
    ],
)
def test_ways_to_write_one_call(text: str) -> None:
    body = Member(Name("x"), "done", False)
    assert parse_expression(text) == Call(RESOURCES, "any", Lambda("x", body), False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('evaluation.model.contains("a")', Call(MODEL, "contains", Literal("a"), False)),
        ('evaluation.model.contains("a", ignoreCase = true)', Call(MODEL, "contains", Literal("a"), False, True)),
        ('evaluation.model?.equals("a", ignoreCase=true,)', Call(MODEL, "equals", Literal("a"), True, True)),
        ('evaluation.model.endsWith("a", ignoreCase = false)', Call(MODEL, "endsWith", Literal("a"), False, False)),
        ("objectContext.resources.joinToString()", Call(RESOURCES, "joinToString", None, False)),
        ('objectContext.resources.joinToString(",")', Call(RESOURCES, "joinToString", Literal(","), False)),
        ("listOf()", ListOf(())),
        ('listOf("a", /* b */ 1,)', ListOf((Literal("a"), Literal(1)))),
        ("listOf(1).contains(1)", Call(ListOf((Literal(1),)), "contains", Literal(1), False)),
    ],
)
def test_arguments(text: str, expected: Expression) -> None:
    assert parse_expression(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("evaluation.events.isEmtpy()", 1, 19, "did you mean `isEmpty`"),
        ("evaluation.events.size()", 1, 19, "write .size without"),
        ("evaluation.model.trim", 1, 18, "write .trim()"),
        ("objectContext.entities.isNotEmpty", 1, 24, "write .isNotEmpty()"),
        ("setOf(1)", 1, 1, "did you mean `listOf`"),
        ("emptyList()", 1, 1, "write listOf()"),
        ("any { true }", 1, 1, "called on a value"),
        ("!any { true }", 1, 2, "called on a value"),
        ("listOf { 1 }", 1, 8, "`listOf` takes values"),
        ("listOf(1) { it }", 1, 11, "`listOf` takes values"),
        ("listOf(a = 1)", 1, 8, "no name"),
        ("listOf(foo)", 1, 8, "`foo` is unknown"),
        ("listOf<String>()", 1, 1, "leave out the types"),
        ("evaluation.events.any(1)", 1, 23, "`any` takes a lambda"),
        ("evaluation.events.all()", 1, 19, "`all` takes a lambda"),
        ("evaluation.events.find()", 1, 19, "`find` takes a lambda"),
        ("evaluation.events.contains()", 1, 19, "`contains` takes one value"),
        ("evaluation.model.contains(ignoreCase = true)", 1, 18, "`contains` takes one value"),
        ("evaluation.events.contains(1, 2)", 1, 31, "`contains` takes one value"),
        ('evaluation.model.contains("a", true)', 1, 32, "and after it ignoreCase = true"),
        ("evaluation.events.contains { it }", 1, 28, "`contains` takes one value"),
        ("evaluation.events.isEmpty(1)", 1, 27, "`isEmpty` takes no argument"),
        ("evaluation.events.contains(element = 1)", 1, 28, "arguments have no name here"),
        ('evaluation.model.contains(ignoreCase = true, "a")', 1, 27, "as the last one of contains, startsWith,"),
        ('evaluation.model.contains("a", ignoreCase = 1)', 1, 32, "there is only ignoreCase = true"),
        ("evaluation.model.trim(ignoreCase = true)", 1, 23, "arguments have no name here"),
        ('evaluation.events.joinToString(",") { it }', 1, 37, r".map { … } does before it"),
        ('evaluation.events.joinToString(separator = ",")', 1, 32, "no name"),
        ('evaluation.model.matches(Regex("a+"))', 1, 18, "there are no regular expressions"),
        ('evaluation.model.contains("a+".toRegex())', 1, 32, "use contains, startsWith or endsWith"),
        ('evaluation.model.contains(Regex("a+"))', 1, 27, "there are no regular expressions"),
        ("evaluation.events.any { true } { true }", 1, 1, "not supported"),
        ("evaluation.events.any<X>() { true }", 1, 1, "not supported"),
        ("evaluation.events.any l@{ true }", 1, 23, "not supported"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_position(text: str, line: int, column: int, problem: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse_expression(text)
    assert problem in refused.value.problem
    assert (refused.value.line, refused.value.column) == (line, column)
    assert "\n" not in str(refused.value)
