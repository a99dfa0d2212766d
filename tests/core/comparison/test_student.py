"""Student's t against scipy's own tests and statsmodels' power."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_1samp
from statsmodels.stats.power import TTestPower

from stoic_assets.core.comparison.student import TTest, t_quantile, t_test

SAMPLES = st.lists(st.floats(-1, 1), min_size=2, max_size=30).filter(lambda values: max(values) - min(values) > 1e-3)


@given(SAMPLES, st.sampled_from([0.90, 0.95, 0.99]))
def test_the_test_is_that_of_scipy(values: list[float], confidence: float) -> None:
    found, known = t_test(values), ttest_1samp(values, 0.0, alternative="less")
    assert found.freedom == known.df
    assert found.p_less == pytest.approx(known.pvalue, abs=1e-12)
    assert found.p_less + found.p_greater == pytest.approx(1.0)
    ends = ttest_1samp(values, 0.0).confidence_interval(confidence)
    assert found.interval(confidence) == pytest.approx((ends.low, ends.high))


def test_without_spread_the_interval_is_the_mean() -> None:
    assert t_test([0.1] * 12).interval(0.95) == (pytest.approx(0.1), pytest.approx(0.1))


@pytest.mark.parametrize("freedom", [1, 4, 11, 200])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.975])
def test_quantiles_are_those_of_scipy(freedom: int, share: float) -> None:
    assert t_quantile(freedom, share) == pytest.approx(student.ppf(share, freedom), abs=1e-12)


@pytest.mark.parametrize("count", [5, 12, 200])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 9])
def test_what_can_be_detected_is_as_statsmodels_finds_it(count: int, alpha: float) -> None:
    known = TTestPower().solve_power(nobs=count, alpha=alpha, power=0.9, alternative="larger")
    assert TTest(0.0, 1 / sqrt(count), count - 1).detectable(alpha, 0.9) == pytest.approx(known, rel=3e-4)
