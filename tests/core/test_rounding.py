"""Rounding of printed scores."""

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.rounding import half_even, mean


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.125, 0.12), (0.375, 0.38), (0.145, 0.14), (0.135, 0.14), (0.005, 0.01), (1.0, 1.0)]
)
def test_half_goes_to_even_on_the_binary_value(value, rounded):
    assert half_even(value) == rounded


@given(st.floats(0, 1) | st.integers(0, 1000).map(lambda n: n / 1000) | st.integers(0, 64).map(lambda n: n / 64))
def test_rounding_is_that_of_exact_decimals(value):
    assert half_even(value) == float(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_EVEN))


def test_a_mean_is_added_in_order_without_compensation():
    assert mean([0.1] * 10) == 0.09999999999999999, "0.1 with compensated summation, as sum() does it since Python 3.12"
    assert mean([1e16, 1.0, -1e16]) == 0.0


def test_no_values_have_no_mean():
    assert mean([]) is None
    assert mean(value for value in (0.5, 1.0)) == 0.75
