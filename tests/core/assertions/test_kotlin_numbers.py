"""Arithmetic agrees with Kotlin's, except that overflow and division by zero are errors."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin.numbers import computed, number_text
from stoic_assets.core.errors import ExpressionFailure

LONGS = st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20)
DOUBLES = st.floats(allow_nan=True, allow_infinity=True)


@given(st.sampled_from("+-*/%"), LONGS, LONGS)
def test_whole_numbers(sign: str, left: int, right: int) -> None:
    if sign in "/%" and right == 0:
        with pytest.raises(ExpressionFailure, match="division by zero"):
            computed(sign, left, right)
        return
    truncated = math.trunc(Fraction(left, right or 1))
    sums = {"+": left + right, "-": left - right, "*": left * right}
    exact = {**sums, "/": truncated, "%": left - truncated * right}[sign]
    if -(2**63) <= exact < 2**63:
        assert computed(sign, left, right) == exact
    else:
        with pytest.raises(ExpressionFailure, match="more than 64 bits"):
            computed(sign, left, right)


@pytest.mark.parametrize(
    ("left", "sign", "right", "expected"),
    [
        (7, "/", 2, 3), (-7, "/", 2, -3), (7, "/", -2, -3), (-7, "/", -2, 3),
        (7, "%", 3, 1), (-7, "%", 3, -1), (7, "%", -3, 1), (-7, "%", -3, -1),
        (7.0, "/", 2, 3.5), (7, "/", 2.0, 3.5), (-7.5, "%", 2, -1.5), (7, "%", -2.5, 2.0),
        (1, "+", 0.5, 1.5), (1e308, "*", 10, math.inf), (5, "%", math.inf, 5.0),
    ],
)
def test_known_results_of_the_jvm(left: float, sign: str, right: float, expected: float) -> None:
    result = computed(sign, left, right)
    assert result == expected
    assert type(result) is type(expected)


@given(st.sampled_from("+-*/%"), DOUBLES, DOUBLES | LONGS)
def test_doubles_never_fail_except_by_zero(sign: str, left: float, right: float) -> None:
    if sign in "/%" and right == 0:
        with pytest.raises(ExpressionFailure, match="zero"):
            computed(sign, left, right)
    else:
        assert isinstance(computed(sign, left, right), float)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (-(2**63), "-9223372036854775808"), (1.0, "1.0"), (-0.0, "-0.0"), (0.001, "0.001"),
        (0.00012, "1.2E-4"), (9999999.0, "9999999.0"), (1e7, "1.0E7"), (-1.25e10, "-1.25E10"), (1e100, "1.0E100"),
        (math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity"),
    ],
)
def test_text_of_numbers_is_that_of_the_jvm(value: float, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_text_of_a_double_is_that_double(value: float) -> None:
    assert float(number_text(value)) == value


def test_whole_numbers_beyond_64_bits_have_no_text() -> None:
    with pytest.raises(ExpressionFailure, match="64 bits"):
        number_text(2**63)
