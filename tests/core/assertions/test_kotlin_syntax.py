"""The supported subset of Kotlin becomes the right tree, everything else is refused with its position."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin_expression import (
    Binary,
    Call,
    Expression,
    Index,
    Lambda,
    ListOf,
    Literal,
    Member,
    Name,
    Template,
    Unary,
    names_in,
)
from stoic_assets.core.assertions.kotlin_kinds import kind_of
from stoic_assets.core.assertions.kotlin_syntax import parse_expression
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


LEVELS = (
    ("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("in", "!in"), ("?:",), ("..",),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
PREFIX, POSTFIX = 9, 10
WORDS = st.sampled_from(("name", "labels", "size"))
TEXTS = st.text(st.sampled_from('a "\\$\n\té😀{}/'), max_size=6)
LEAVES = st.one_of(
    st.sampled_from((Name("evaluation"), CONTEXT, Literal(True), Literal(None))),
    st.integers(0, 2**63 - 1).map(Literal),
    st.floats(0, 1e300).map(Literal),
    TEXTS.map(Literal),
)


def has_any_member(expression: Expression) -> bool:
    return not isinstance(expression, Name) and kind_of(expression) not in ("List", "String")


def branches(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    block = st.builds(Lambda, st.sampled_from(("it", "x")), inner)
    return st.one_of(
        st.builds(Binary, st.sampled_from([sign for sign in LEVEL if sign != ".."]), inner, inner),
        st.builds(Binary, st.sampled_from(("in", "!in")), inner, st.builds(Binary, st.just(".."), inner, inner)),
        st.builds(Unary, st.sampled_from(("!", "-", "!!")), inner),
        st.lists(inner, max_size=3).map(lambda items: ListOf(tuple(items))),
        st.builds(Member, inner.filter(has_any_member), WORDS, st.booleans()),
        st.builds(Index, inner, inner),
        st.builds(Call, inner, st.sampled_from(("any", "first")), st.none() | block, st.booleans()),
        st.builds(Call, inner, st.just("contains"), inner, st.booleans(), st.booleans()),
        st.lists(inner.filter(lambda e: not isinstance(e, Literal)), min_size=1, max_size=3).map(
            lambda parts: Template((Literal("a"), *parts))
        ),
    )


def written(expression: Expression, least: int = 0) -> str:
    """The expression as Kotlin, with as few parentheses as Kotlin's table of precedence allows."""
    text, level = kotlin(expression)
    return text if level >= least else f"({text})"


def kotlin(expression: Expression) -> tuple[str, int]:
    match expression:
        case Literal(str() as value):
            return quoted(value), POSTFIX
        case Literal(value):
            return {True: "true", None: "null"}[value] if value is None or value is True else repr(value), POSTFIX
        case Name(name):
            return name, POSTFIX
        case Template(parts):
            inside = (p.value if isinstance(p, Literal) else f"${{{written(p)}}}" for p in parts)
            return f'"{"".join(map(str, inside))}"', POSTFIX
        case Member(receiver, name, safe):
            return f"{written(receiver, POSTFIX)}{'?.' if safe else '.'}{name}", POSTFIX
        case Index(receiver, key):
            return f"{written(receiver, POSTFIX)}[{written(key)}]", POSTFIX
        case ListOf(items):
            return f"listOf({', '.join(map(written, items))})", POSTFIX
        case Call(receiver, function, argument, safe, ignore_case):
            called = f"{written(receiver, POSTFIX)}{'?.' if safe else '.'}{function}"
            return called + arguments(argument, ", ignoreCase = true" * ignore_case), POSTFIX
        case Unary("!!", operand):
            return f"{written(operand, POSTFIX)}!!", POSTFIX
        case Unary(operator, operand):
            return f"{operator} {written(operand, PREFIX)}", PREFIX
        case Binary(operator, left, right):
            level = LEVEL[operator]
            chains = operator not in ("<", "<=", ">", ">=")
            return f"{written(left, level if chains else level + 1)} {operator} {written(right, level + 1)}", level
    raise AssertionError(expression)


def arguments(argument: Expression | Lambda | None, more: str) -> str:
    match argument:
        case None:
            return "()"
        case Lambda(parameter, body):
            return f" {{ {'' if parameter == 'it' else parameter + ' -> '}{written(body)} }}"
    return f"({written(argument)}{more})"


def quoted(value: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "$": "\\$", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'


@settings(max_examples=150, deadline=None)
@given(st.recursive(LEAVES, branches, max_leaves=12))
def test_what_is_written_with_kotlins_precedence_is_read_back_as_it_was(expression: Expression) -> None:
    assert parse_expression(written(expression)) == expression


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
