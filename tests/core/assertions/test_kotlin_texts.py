"""What functions do with texts, as the JVM does it: white space, case, and the text of any value."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin.evaluation import evaluate
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionFailure

JOB = {"none": None, "list": ["a", 1.0, None, [True]], "map": {"a": {"b": 1}}, "big": 2**70}


def value_of(text: str, /, **job: object) -> object:
    """The value of an expression in which `job` stands for `evaluation.job`."""
    return evaluate(parse_expression(text.replace("job", "evaluation.job")), {"evaluation": {"job": job or JOB}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"".isEmpty()', True), ('" ".isNotEmpty()', True), ('"".isNullOrEmpty()', True),
        ('" \\t\\n".isBlank()', True), ('"\\u00a0\\u2028\\u3000".isBlank()', True), ('" a ".isNotBlank()', True),
        ('"".isNotBlank()', False), ('"\\u0085".isBlank()', False), ('"\\u200b".isBlank()', False),
        ("job.none.isNullOrBlank()", True), ('" ".isNullOrBlank()', True), ('"a".isNullOrBlank()', False),
        ("job.none?.isNullOrBlank()", None), ('" ".isNullOrEmpty()', False),
        ('"\\n a b\\u2003\\u001f".trim()', "a b"), ('"\\u0085".trim().length', 1),
        ('"Hello".startsWith("He") && "Hello".endsWith("lo")', True), ('"Hello".startsWith("he")', False),
        ('"Hello".startsWith("hE", ignoreCase = true)', True), ('"Hello".endsWith("LO", ignoreCase = true)', True),
        ('"Hello".endsWith("LO", ignoreCase = false)', False), ('"Hello".contains("ELL", ignoreCase = true)', True),
        ('"Hello".contains("", ignoreCase = true)', True), ('"Hello".contains("elo", ignoreCase = true)', False),
        ('"Hello".equals("hello")', False), ('"Hello".equals("hELLO", ignoreCase = true)', True),
        ('job.none.equals("a")', False), ("job.none.equals(null, ignoreCase = true)", True),
        ('"null".equals(null, ignoreCase = true)', False), ("1.equals(1.0)", True), ("job.list.equals(job.list)", True),
        ('"ÄB".lowercase() + "äb".uppercase()', "äbÄB"),
        ('"a".toString()', "a"), ("1.0.toString()", "1.0"), ("1.toString()", "1"), ("(-1e10).toString()", "-1.0E10"),
        ("null.toString()", "null"), ("job.none?.toString()", None), ("true.toString() + false", "truefalse"),
        ("job.list.toString()", "[a, 1.0, null, [true]]"), ("job.map.toString()", "{a={b=1}}"),
        ("listOf().toString()", "[]"),
    ],
)  # fmt: skip
def test_values(text: str, expected: object) -> None:
    result = value_of(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('"a".contains(1)', "a String cannot contain 1"),
        ('"a".startsWith(1)', "`startsWith` needs a String"),
        ('"a".endsWith(null, ignoreCase = true)', "`endsWith` needs a String"),
        ('"a".contains(1, ignoreCase = true)', "`ignoreCase = true` compares two Strings, not 1"),
        ('1.equals("a", ignoreCase = true)', "`ignoreCase = true` compares two Strings, not 1"),
        ("job.none.isBlank()", r"not on null; write \?\.isBlank"),
        ("job.list.trim()", "`trim` works on a String, not on a List"),
        ("job.list.isNullOrBlank()", "`isNullOrBlank` works on a String or null, not on a List"),
        ("job.big.toString()", "64 bits"),
    ],
)
def test_failures_say_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(ExpressionFailure, match=problem):
        value_of(text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("É", "é", True), ("ΟΔΟΣ", "οδος", True), ("σ", "ς", True), ("\u212a", "k", True), ("ſ", "S", True),
        ("I", "ı", True), ("İ", "i", True), ("Ǆ", "ǅ", True), ("\U00010400", "\U00010428", True),
        ("ß", "SS", False), ("ß", "s", False), ("ﬁ", "fi", False), ("é", "e", False), ("ß", "ẞ", True),
        ("\ud801", "a", False),
    ],
)  # fmt: skip
def test_case_is_ignored_character_by_character_as_on_the_jvm(one: str, other: str, same: bool) -> None:
    for first, second in ((one, other), (other, one)):
        assert value_of("job.a.equals(job.b, ignoreCase = true)", a=first, b=second) is same
        assert value_of("job.a.contains(job.b, ignoreCase = true)", a=f"x{first}y", b=second) is same


@given(st.text(max_size=8), st.text(max_size=8), st.sampled_from(("contains", "startsWith", "endsWith", "equals")))
def test_what_holds_with_case_holds_without(text: str, part: str, name: str) -> None:
    strict = value_of(f"job.a.{name}(job.b)", a=text, b=part)
    assert strict is value_of(f"job.a.{name}(job.b, ignoreCase = false)", a=text, b=part)
    loose = value_of(f"job.a.{name}(job.b, ignoreCase = true)", a=text, b=part)
    assert loose or not strict
    assert value_of(f"job.a.{name}(job.b, ignoreCase = true)", a=part + text + part, b=part) or name == "equals"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_the_text_of_a_value_is_the_one_in_a_template(data: object) -> None:
    assert value_of('job.a.toString() == "${job.a}" && job.a.equals(job.a)', a=data) is True


@pytest.mark.parametrize(
    "call", ['contains("Ü", ignoreCase = true)', 'equals("ü", ignoreCase = true)', "isBlank()", 'trim() == "a"']
)
def test_long_texts_are_bounded(call: str) -> None:
    began = time.process_time()
    with pytest.raises(ExpressionFailure, match="steps"):
        value_of(f"job.long.none {{ job.text.{call} }}", long=list(range(2_000)), text="漢" * 999_999)
    assert time.process_time() - began < 10
