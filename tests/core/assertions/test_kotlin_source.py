"""Text that cannot be an expression is refused with its position, in bounded time, and never in another way."""

import random
import time

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionError

VALID = (
    'objectContext.entities.any { it.type == "Reminder" }',
    '!evaluation.functionCalls.count { c -> c.function == "remind" && c.args["at"] in "12:00" } >= 1L',
    'objectContext.resources\n  .map { "$it: ${it.name ?: "?"}" } /* a */ != """a "b" \\ $""" // end',
    "objectContext.entities.firstOrNull { !(it.done) }?.due ?: -1.5e3 < 0x1F",
)
PIECES = (
    *'(){}[]"$.!-<>,;:@`\\\0\n\u2028é😀_1',
    *('"""', "${", "?.", "?:", "!!", "==", "===", "&&", "||", " in ", " !in ", "->", "::", "//", "/*", "*/", "#!"),
    *(" it ", " any ", ".size", "0x", " as ", " is ", "fun ", "if(", " else ", "val ", "null", "<X>", "l@{", "'a'"),
)


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("", 1, 1, "empty"),
        ("  // only a comment", 1, 1, "empty"),
        ("1 +", 1, 3, "cannot be read"),
        ("(1 == 1", 1, 2, "cannot be read"),
        ("listOf(1).any { (it) && true }", 1, 17, "cannot be read as a Kotlin expression; leave out the parentheses"),
        ("listOf(1).any {\n (it) + 1 == 1 }", 2, 2, "cannot be read as a Kotlin expression; leave out the parenth"),
        ('evaluation.model == "x', 1, 22, "cannot be read"),
        ("1 == 1 2", 1, 8, "'2' is not expected"),
        ('"a" "b"', 1, 5, '\'"b"\' is not expected'),
        ("true\nfalse", 2, 1, "a second one begins"),
        ("true; false", 1, 5, "'; ' is not expected"),
        ('"\udc00"', 1, 2, "half a character"),
        ("true\0", 1, 5, "'\\x00' is not expected"),
        ("true\u00a0&& true", 1, 5, "not expected"),
        ("1 || " * 800 + "1", 1, 1, "more than 4,000 characters"),
        ("(" * 70 + "1" + ")" * 70, 1, 63, "nested deeper"),
        ("!" * 3_000 + "true", 1, 63, "nested deeper"),
        (" && ".join(["true"] * 70), 1, 1, "nested deeper"),
    ],
)
def test_unreadable_text_is_refused_with_its_position(text: str, line: int, column: int, problem: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse_expression(text)
    assert problem in refused.value.problem
    assert (refused.value.line, refused.value.column) == (line, column)
    assert "\n" not in str(refused.value)


@examples(5)
@given(st.text(max_size=200))
def test_random_text_is_refused_or_read(text: str) -> None:
    refusal = refusal_of(text)
    assert refusal is None or 1 <= refusal.line <= text.count("\n") + 1


@examples(10)
@given(st.sampled_from(VALID), st.integers())
def test_mutated_expressions_are_refused_or_read(text: str, seed: int) -> None:
    assert refusal_of(text) is None
    chosen = random.Random(seed)
    for _ in range(chosen.randint(1, 6)):
        at = chosen.randint(0, len(text))
        text = text[:at] + chosen.choice(PIECES) + text[at + chosen.choice((0, 0, 1, 5)) :]
    refusal = refusal_of(text)
    assert refusal is None or 1 <= refusal.line <= text.count("\n") + 1


@pytest.mark.parametrize("unit", ["(", "{", '"${', "a.b(<", "/*", '"""', "a<b>(c)", "x.any { a -> ", "if(a) ", "?.b "])
def test_the_largest_texts_are_decided_at_once(unit: str) -> None:
    began = time.process_time()
    assert refusal_of((unit * 4_000)[:4_000])
    assert time.process_time() - began < 5


def refusal_of(text: str) -> ExpressionError | None:
    """Why the parser refuses the text, None where it reads it; any other error escapes."""
    try:
        parse_expression(text)
    except ExpressionError as refused:
        return refused
    return None
