"""Limits that hold for huge data, and what holds for any data."""

import time
from typing import Any

import pytest
from evaluated_text import value_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin.evaluation import evaluate
from stoic_assets.core.assertions.kotlin.expression import Binary, Expression, Literal, Unary
from stoic_assets.core.assertions.kotlin.functions import FUNCTIONS, Takes
from stoic_assets.core.errors import ExpressionFailure


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("job.long.all { a -> job.long.all { b -> a != b || true } }", "steps"),
        ("job.long.map { job.long == job.long }.isEmpty()", "steps"),
        ("job.long.all { job.text.contains(job.text) }", "steps"),
        ("job.long.all { job.text < job.text || true }", "steps"),
        ('job.long.all { "a" < job.text }', "steps"),
        ("job.long.all { job.text == job.text }", "steps"),
        ("job.long.all { job.text.length > 1 }", "steps"),
        ("job.long.map { job.text + it }.isEmpty()", "steps|characters"),
        ("job.text + job.text", "characters"),
        ('"${job.text}${job.text}"', "characters"),
        ("job.deep == job.deep", "levels"),
        ('"${job.deep}"', "levels"),
    ],
)
def test_huge_data_is_bounded(text: str, problem: str) -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    began = time.process_time()
    with pytest.raises(ExpressionFailure, match=problem):
        value_of(text, long=list(range(2_000)), text="x" * 999_999, deep=deep)
    assert time.process_time() - began < 10


def test_limits_are_arguments() -> None:
    tree: Expression = Literal(True)
    for _ in range(70):
        tree = Unary("!", tree)
    with pytest.raises(ExpressionFailure, match="more than 64 levels"):
        evaluate(tree, {})
    assert evaluate(tree, {}, max_depth=70) is True
    with pytest.raises(ExpressionFailure, match="more than 2 steps"):
        evaluate(Binary("+", Literal(1), Literal(1)), {}, max_steps=2)
    assert evaluate(Binary("+", Literal(1), Literal(1)), {}, max_steps=3) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=10,
)
ARGUMENTS = {
    Takes.NOTHING: ["()"],
    Takes.VALUE: ["(job.b)"],
    Takes.VALUE_AND_CASE: ["(job.b)", "(job.b, ignoreCase = true)"],
    Takes.VALUE_OR_NOTHING: ["()", "(job.b)"],
    Takes.LAMBDA: [" { it }", " { it != job.b }", " { it.x }"],
    Takes.LAMBDA_OR_NOTHING: ["()", " { it }", " { it != job.b }"],
}
QUESTIONS = (
    "job.a == job.b", "job.a < job.b", "job.a + job.b", "job.a % job.b", "job.a / job.b", "job.a in job.b", "-job.a",
    "job.a[job.b]", '"${job.a}$evaluation"', "job.a.size", "job.a.length", "job.a ?: job.b", "job.a && job.b",
    "job.a!!", "job.a in 0..job.b", "job.b in job.a..1", "job.a in listOf(job.b, 1)", "listOf(job.a) == job.b",
    *(f"job.a.{name}{argument}" for name, function in FUNCTIONS.items() for argument in ARGUMENTS[function.takes]),
)  # fmt: skip


def any_data_gives_a_json_value_or_a_failure(text: str, first: object, second: object) -> None:
    try:
        result = value_of(text, a=first, b=second)
    except ExpressionFailure:
        return
    assert result is None or isinstance(result, bool | int | float | str | list | dict)


@pytest.mark.parametrize("times", [4, pytest.param(15, marks=pytest.mark.long)])
def test_any_data_gives_a_json_value_or_a_failure(times: int) -> None:
    tried = given(st.sampled_from(QUESTIONS), JSON, JSON)(any_data_gives_a_json_value_or_a_failure)
    examples(times)(tried)()


@given(JSON)
def test_everything_equals_itself_and_is_in_its_own_list(data: object) -> None:
    assert value_of("job.a == job.a && job.a in job.b", a=data, b=[data]) is True
