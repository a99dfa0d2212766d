"""The supported subset of Kotlin becomes the right tree, everything else is refused with its position."""

import re
from pathlib import Path

import pytest

from stoic_assets.core.assertions.kotlin.expression import (
    Binary,
    Call,
    Expression,
    Index,
    Lambda,
    ListOf,
    Literal,
    Member,
    Name,
    Unary,
    names_in,
)
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionError

CONTEXT = Name("objectContext")
RESOURCES = Member(CONTEXT, "resources", safe=False)
README = (
    "objectContext.resources.size == 1",
    'objectContext.entities.any { it.type == "Reminder" }',
    'objectContext != null && objectContext.resources.size == 1',
)
VALID = (
    *README,
    'evaluation.functionCalls.count { c -> c.function == "remind" && c.args["at"] in "12:00" } >= 1L',
    '!evaluation.transcript.last().content.lowercase().contains("sorry") || evaluation.failureCount % 2 == 0',
    'objectContext.resources\n  .filter { it.done }\n  .map { "$it: ${it.name ?: "?"}" }\n  .last() != ""',
    "1 in listOf(2, evaluation.failureCount)",
    "1 !in 0..evaluation!!.failureCount",
    "objectContext.entities.firstOrNull { !(it.done) }?.due ?: -1.5e3 < 0x1F /* hex */ // end",
)


def test_the_readme_expressions_become_small_trees() -> None:
    assert parse_expression(README[0]) == Binary("==", Member(RESOURCES, "size", False), Literal(1))
    test = Binary("==", Member(Name("it"), "type", False), Literal("Reminder"))
    entities = Member(CONTEXT, "entities", False)
    assert parse_expression(README[1]) == Call(entities, "any", Lambda("it", test), False)


def test_the_examples_of_the_documentation_are_accepted() -> None:
    documentation = (Path(__file__).parents[3] / "docs" / "expressions.md").read_text()
    blocks = re.findall(r"```kotlin\n(.*?)```", documentation, re.DOTALL)
    examples = [example for block in blocks for example in block.strip().split("\n\n")]
    assert examples
    assert all(names_in(parse_expression(example)) for example in examples)


@pytest.mark.parametrize("text", VALID)
def test_valid_expressions_are_accepted(text: str) -> None:
    assert names_in(parse_expression(text)) & {"objectContext", "evaluation"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!objectContext.resources.isEmpty()", Unary("!", Call(RESOURCES, "isEmpty", None, False))),
        ("-objectContext.resources[0]", Unary("-", Index(RESOURCES, Literal(0)))),
        ("!!objectContext?.resources", Unary("!", Unary("!", Member(CONTEXT, "resources", True)))),
        ("!objectContext.resources!!.size", Unary("!", Member(Unary("!!", RESOURCES), "size", False))),
        ("-objectContext!!", Unary("-", Unary("!!", CONTEXT))),
        ("(-objectContext)!!", Unary("!!", Unary("-", CONTEXT))),
        ("!-listOf(1).size", Unary("!", Unary("-", Member(ListOf((Literal(1),)), "size", False)))),
        ("(!objectContext).resources", Member(Unary("!", CONTEXT), "resources", False)),
        ("!objectContext.resources.any()", Unary("!", Call(RESOURCES, "any", None, False))),
    ],
)
def test_a_prefix_applies_to_the_whole_chain(text: str, expected: Expression) -> None:
    assert parse_expression(text) == expected


def test_names_may_stand_in_backticks() -> None:
    assert parse_expression("evaluation.job.`in`") == Member(Member(Name("evaluation"), "job", False), "in", False)
    bare = parse_expression("evaluation.events.any { x -> x == 1 }")
    for said in ("`x` -> x == 1", "x -> `x` == 1", "`x` -> `x` == 1"):
        assert parse_expression(f"evaluation.events.any {{ {said} }}") == bare
    assert parse_expression("`evaluation`.events") == parse_expression("evaluation.events")


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("foo == 1", 1, 1, "`foo` is unknown"),
        ("evaluations", 1, 1, "did you mean `evaluation`"),
        ("it == 1", 1, 1, "only in a lambda"),
        ("evaluation.events.any { x -> it }", 1, 30, "only in a lambda"),
        ('"é😀" + "$foo"', 1, 9, "`foo` is unknown"),
        ('"""\n${foo}"""', 2, 3, "`foo` is unknown"),
        ("objectContext.entites", 1, 15, "did you mean `entities`"),
        ("evaluation\n  .functioncalls", 2, 4, "did you mean `functionCalls`"),
        ("evaluation?.size", 1, 13, "no member `size`"),
        ("evaluation.model.lowercase", 1, 18, "write .lowercase()"),
        ("evaluation.events.any { a, b -> a }", 1, 25, "one parameter"),
        ("evaluation.events.any { a: Int -> a }", 1, 25, "without a type"),
        ("evaluation.events.any { (a, b) -> a }", 1, 25, "one parameter"),
        ("evaluation.events.any { evaluation -> true }", 1, 25, "choose another name"),
        ("evaluation.events.any { }", 1, 23, "a lambda is one expression"),
        ("evaluation.events.any { 1\n 2 }", 1, 23, "a lambda is one expression"),
        ("evaluation.events.any { it = 1 }", 1, 25, "compare with =="),
        ("{ true }", 1, 1, "argument of a function"),
        ("1 < 2 < 3", 1, 3, "cannot be chained"),
        ("1 === 1", 1, 1, "compare with =="),
        ("evaluation::class", 1, 1, "not supported"),
        ("val x = 1", 1, 1, "not supported"),
        ("evaluation = 1", 1, 1, "compare with =="),
        ("if (true) 1 else 2", 1, 1, "join conditions"),
        ("when (1) { 1 -> true }", 1, 1, "join conditions"),
        ("1..2", 1, 1, "write x in 1..10, or compare"),
        ("(1..2).first() == 1", 1, 2, "write x in 1..10"),
        ("1 in 0..<2", 1, 6, "compare with >= and <"),
        ("1 in 0..1..2", 1, 6, "write x in 1..10"),
        ("1 in (0..1 ?: 2..3)", 1, 7, "write x in 1..10"),
        ("1 in listOf(0..1)", 1, 13, "write x in 1..10"),
        ("1 until 2", 1, 1, "call functions with a dot"),
        ("evaluation!! = 1", 1, 1, "compare with =="),
        ("evaluation++", 1, 1, "not supported"),
        ("true and false", 1, 1, "join conditions"),
        ("1 as Int", 1, 1, "not supported"),
        ("1 is Int", 1, 1, "not supported"),
        ("[1]", 1, 1, "not supported"),
        ("objectContext.resources.siez == 1", 1, 25, "a List has no member `siez`; it has `size`"),
        ("evaluation.transcript.map { it }\n.lenght == 2", 2, 2, "a List has no member `lenght`"),
        ("evaluation.sessionId!!.size == 3", 1, 24, "a String has no member `size`; it has `length`"),
        ("evaluation.events.filter { true }.first == 1", 1, 35, "`first` is a function; write .first(…)"),
        ("evaluation.events.isEmpty", 1, 19, "`isEmpty` is a function; write .isEmpty()"),
        ("this", 1, 1, "not supported"),
        ("++1", 1, 1, "not supported"),
        ("+1", 1, 1, "not supported"),
        ("evaluation.job[1, 2]", 1, 1, "not supported"),
        ("'a'", 1, 1, "write a string"),
        ("1u", 1, 1, "not a supported number"),
        ('"a\\q"', 1, 3, "unknown escape"),
        ('"a\nb"', 1, 3, "three quotes"),
    ],
)
def test_everything_else_is_refused_with_its_position(text: str, line: int, column: int, problem: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse_expression(text)
    assert problem in refused.value.problem
    assert (refused.value.line, refused.value.column) == (line, column)
    assert "\n" not in str(refused.value)


def test_the_expressions_of_a_large_project_are_parsed_once_and_no_tree_can_be_changed() -> None:
    parse_expression.cache_clear()
    for least in [*range(10_000)] * 2:
        tree = parse_expression(f"objectContext.resources.size > {least}")
        assert isinstance(tree, Binary)
        assert tree.right == Literal(least)
    assert parse_expression.cache_info().misses == 10_000
    for text in VALID:
        hash(parse_expression(text))  # a list in a tree, which somebody could change, has no hash


def test_a_refused_expression_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ExpressionError, match="the expression is empty"):
            parse_expression(" ")
