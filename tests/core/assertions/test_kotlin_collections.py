"""What functions do with lists and maps, as Kotlin does it, and bounded on huge ones."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin.evaluation import evaluate
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionFailure

JOB: dict[str, Any] = {
    "list": [1, 2.0, 3], "none": None, "map": {"a": 1, "b": None}, "empty": [], "big": [2**70],
    "words": ["b", "a", "b"],
}  # fmt: skip


def value_of(text: str, /, **job: object) -> object:
    """The value of an expression in which `job` stands for `evaluation.job`."""
    return evaluate(parse_expression(text.replace("job", "evaluation.job")), {"evaluation": {"job": job or JOB}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("job.list.isEmpty()", False), ("job.map.isNotEmpty()", True), ("job.empty.isNullOrEmpty()", True),
        ("job.none.isNullOrEmpty()", True), ("job.none?.isNullOrEmpty()", None), ("job.map.isNullOrEmpty()", False),
        ("job.list.contains(2)", True), ('job.map.contains("c")', False),
        ('job.map.containsKey("b")', True), ('job.map.containsKey("c")', False),
        ("job.map.containsValue(1.0)", True), ("job.map.containsValue(null)", True),
        ("job.map.containsValue(2)", False),
        ("job.list.containsAll(listOf(3, 1))", True), ("job.list.containsAll(listOf(3, 4))", False),
        ("job.empty.containsAll(job.empty)", True), ("job.words.containsAll(job.words.distinct())", True),
        ("job.list.any()", True), ("job.empty.any()", False), ("job.list.any { it > 2 }", True),
        ("job.empty.none()", True), ("job.list.none { it > 3 }", True),
        ("job.empty.all { false }", True), ("job.list.all { it > 1 }", False),
        ("job.list.count()", 3), ("job.list.count { it > 1 }", 2), ('job.map.any { it.key == "a" }', True),
        ("job.list.filter { it != 2 }", [1, 3]), ("job.list.map { x -> x * 2 }", [2, 4.0, 6]),
        ("job.list.first()", 1), ("job.list.first { it > 1 }", 2.0),
        ("job.list.last()", 3), ("job.list.last { it < 3 }", 2.0),
        ("job.empty.firstOrNull()", None), ("job.list.firstOrNull { it > 9 }", None), ("job.list.firstOrNull()", 1),
        ("job.empty.lastOrNull()", None), ("job.list.lastOrNull()", 3), ("job.list.lastOrNull { it < 3 }", 2.0),
        ("job.list.find { it > 1 }", 2.0), ("job.list.find { it > 9 }", None), ("job.none?.find { it > 9 }", None),
        ("job.list.single { it == 2 }", 2.0), ("listOf(null).single()", None),
        ("job.words.distinct()", ["b", "a"]), ("listOf(1, 1.0, true, null, null).distinct()", [1, True, None]),
        ("job.list.sumOf { it }", 6.0), ("job.empty.sumOf { it }", 0), ("job.words.sumOf { it.length }", 3),
        ("job.list.maxOf { it * 2 }", 6), ("job.list.minOf { -it }", -3), ("job.words.maxOf { it }", "b"),
        ("job.words.minOf { it }", "a"),
        ("job.list.joinToString()", "1, 2.0, 3"), ('job.words.joinToString("")', "bab"),
        ('job.empty.joinToString("-")', ""),
        ('listOf(null, job.map, job.words).joinToString(" | ")', "null | {a=1, b=null} | [b, a, b]"),
    ],
)  # fmt: skip
def test_values(text: str, expected: object) -> None:
    result = value_of(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("job.empty.first()", "`first` finds no element; write firstOrNull"),
        ("job.list.last { it > 9 }", "`last` finds no element; write lastOrNull"),
        ("job.map.first()", "works on a List, not on a Map"),
        ("job.none.find { true }", r"not on null; write \?\.find"),
        ("job.empty.single()", "`single` finds no element"),
        ("job.list.single()", "`single` finds more than one element"),
        ("job.list.single { it < 3 }", "`single` finds more than one element"),
        ("job.list.find { it }", "the lambda must be true or false, not 1"),
        ("1.isNullOrEmpty()", "works on a List or Map or String or null, not on 1"),
        ("job.list.containsKey(1)", "works on a Map or Object, not on a List"),
        ("job.map.containsKey(1)", "a Map cannot contain 1"),
        ("job.list.containsAll(1)", r"`containsAll` needs a List, not 1; write containsAll\(listOf\(…\)\)"),
        ("job.words.sumOf { it }", "the lambda of `sumOf` must give a number of at most 64 bits, not a String"),
        ("job.big.sumOf { it }", "at most 64 bits"),
        ("listOf(9223372036854775807, 1).sumOf { it }", "more than 64 bits"),
        ("job.empty.maxOf { it }", r"`maxOf` finds no element; test isNotEmpty\(\)"),
        ("listOf(null).minOf { it }", "`minOf` compares two numbers or two strings, not null and null"),
        ('listOf(1, "a").maxOf { it }', "`maxOf` compares two numbers or two strings, not a String and 1"),
        ("job.words.joinToString(null)", "`joinToString` needs a String to write between the elements, not null"),
        ("job.list.contains(1, ignoreCase = true)", "`ignoreCase = true` compares two Strings, not a List"),
    ],
)
def test_failures_say_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ExpressionFailure, match=problem) as failed:
        value_of(text)
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("job.long.distinct()", "steps"),
        ("job.long.containsAll(job.long)", "steps"),
        ("job.long.all { a -> job.map.containsValue(a) || true }", "steps"),
        ("job.long.map { job.long.sumOf { it } }", "steps"),
        ("job.long.map { job.long.maxOf { it } }", "steps"),
        ("job.long.all { job.long.single { it == 1 } == 1 }", "steps"),
        ("job.long.map { job.long.joinToString() }", "steps"),
        ("job.long.joinToString(job.text)", "characters"),
        ("listOf(job.text, job.text).joinToString()", "characters"),
        ("job.long.map { job.text.toString() + it }", "steps|characters"),
    ],
)
def test_huge_data_is_bounded(text: str, problem: str) -> None:
    long = list(range(2_000))
    with pytest.raises(ExpressionFailure, match=problem):
        value_of(text, long=long, text="x" * 999_999, map=dict.fromkeys(map(str, long)))


NUMBERS = st.lists(st.integers(-99, 99) | st.sampled_from((0.5, 2.0, -3.25)), max_size=8)


@given(NUMBERS, NUMBERS)
def test_numbers_are_searched_and_summed_as_in_python(first: list[float], second: list[float]) -> None:
    job = {"a": first, "b": second}
    assert value_of("job.a.sumOf { it }", **job) == sum(first)
    assert value_of("job.a.distinct()", **job) == list(dict.fromkeys(first))
    assert value_of("job.a.containsAll(job.b)", **job) is set(second).issubset(first)
    assert value_of('"[" + job.a.joinToString() + "]" == job.a.toString()', **job) is True
    within = "job.a.all { it in job.a.minOf { x -> x }..job.a.maxOf { x -> x } }"
    assert value_of(within, **job) is True
