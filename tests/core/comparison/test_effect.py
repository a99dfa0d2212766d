"""The effect over jobs, against scipy's one-sided tests and intervals, and where nothing can be tested."""

import re
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, nct, t, ttest_1samp

from stoic_assets.core.comparison.effect import FEWEST_JOBS, Tested, effect
from stoic_assets.core.comparison.paired_jobs import NO_NOISE, Noise
from stoic_assets.core.comparison.student import TTest

Tested.__test__ = False  # type: ignore[attr-defined]  # a class of ours that pytest takes for one of tests
DELTA = 0.05
SPREAD = st.lists(st.floats(-1, 1), min_size=FEWEST_JOBS, max_size=30).filter(lambda d: max(d) - min(d) > 1e-3)


@given(SPREAD)
def test_p_and_intervals_are_those_of_scipy(differences: list[float]) -> None:
    tested = effect(differences, 9, DELTA).tested
    assert tested is not None
    less, greater = (ttest_1samp(differences, 0.0, alternative=side) for side in ("less", "greater"))
    assert (tested.p_less, tested.p_greater) == pytest.approx((less.pvalue, greater.pvalue), abs=1e-12)
    both = ttest_1samp(differences, 0.0)
    assert (tested.low, tested.high) == pytest.approx(tuple(both.confidence_interval(0.95)))
    # The two one-sided tests of `unchanged` are one-sided 95 % bounds.
    assert tested.high_90 == pytest.approx(less.confidence_interval(0.95).high)
    assert tested.low_90 == pytest.approx(greater.confidence_interval(0.95).low)


@given(SPREAD)
def test_the_interval_lies_around_the_difference(differences: list[float]) -> None:
    found = effect(differences, 9, DELTA)
    assert found.tested is not None
    assert found.difference is not None
    assert found.jobs == len(differences)
    assert found.why is None
    assert found.tested.low < found.tested.low_90 < found.difference < found.tested.high_90 < found.tested.high


@pytest.mark.parametrize(("jobs", "tests"), [(5, 9), (12, 9), (40, 9), (12, 1)])
def test_the_detectable_difference_is_found_with_the_power_it_promises(jobs: int, tests: int) -> None:
    differences = np.random.default_rng(jobs).normal(0, 0.1, jobs)
    tested = effect(differences.tolist(), tests, 0.0).tested
    assert tested is not None
    shift = tested.detectable / (np.std(differences, ddof=1) / sqrt(jobs))
    power = nct.sf(t.ppf(1 - 0.05 / tests, jobs - 1), jobs - 1, shift)  # of the t test, exactly
    assert power == pytest.approx(0.90, abs=5e-4)
    assert tested.detectable > effect(differences.tolist(), 1, 0.0).tested.detectable - 1e-12  # type: ignore[union-attr]


@pytest.mark.parametrize(("jobs", "spread", "delta"), [(40, 0.06, 0.05), (40, 0.1, 0.1), (12, 0.1, 0.05)])
def test_a_drop_of_what_is_detectable_is_significant_and_relevant_in_nine_of_ten(
    jobs: int, spread: float, delta: float
) -> None:
    draws = np.random.default_rng(jobs)
    finest = TTest(0.0, spread / sqrt(jobs), jobs - 1).detectable(0.05 / 9, 0.9, delta)
    drops = draws.normal(finest, spread, (4000, jobs))
    error = drops.std(axis=1, ddof=1) / sqrt(jobs)
    found = (drops.mean(axis=1) >= delta) & (drops.mean(axis=1) / error >= t.ppf(1 - 0.05 / 9, jobs - 1))
    assert found.mean() == pytest.approx(0.9, abs=0.015)
    assert finest > delta


def test_the_spread_of_single_trials_counts_if_it_says_less_than_that_over_jobs() -> None:
    differences = [-0.11, -0.09] * 6
    tested = effect(differences, 9, DELTA, Noise(0.04, 24)).tested
    assert tested is not None
    error = 0.2 / sqrt(12)
    assert tested.p_less == pytest.approx(t.cdf(-0.1 / error, 24))
    assert tested.high == pytest.approx(-0.1 + t.ppf(0.975, 24) * error)
    assert tested.low_90 == pytest.approx(-0.1 - t.ppf(0.95, 24) * error)
    assert tested.detectable == TTest(0.0, error, 24).detectable(0.05 / 9, 0.9, DELTA)


def test_the_spread_of_a_single_cell_does_not_unsettle_what_all_jobs_show() -> None:
    differences = np.random.default_rng(1).normal(-0.3, 0.1, 12).tolist()
    noisy, quiet = (effect(differences, 9, DELTA, noise).tested for noise in (Noise(0.05**2, 1), NO_NOISE))
    assert noisy is not None
    assert noisy == replace(quiet, p_greater=noisy.p_greater)
    assert noisy.p_greater > 0.999


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=FEWEST_JOBS - 1))
def test_four_jobs_are_too_few(differences: list[float]) -> None:
    found = effect(differences, 9, DELTA)
    assert found.tested is None
    assert found.difference == pytest.approx(np.mean(differences), abs=1e-12)
    said = rf"measured by only {len(differences)} jobs? in both versions; at least 5 are needed"
    assert re.fullmatch(said, found.why or "")


def test_no_difference_in_any_job_is_no_evidence() -> None:
    found = effect([0.0] * 12, 9, DELTA)
    assert found.tested is None
    assert found.why == "every job scored the same in both versions"


@pytest.mark.parametrize(("step", "p_less", "p_greater"), [(-1.0, 2**-12, 1.0), (0.1, 1.0, 2**-12)])
def test_the_same_difference_in_every_job_is_tested_by_its_sign(step: float, p_less: float, p_greater: float) -> None:
    tested = effect([step] * 12, 9, DELTA).tested
    assert tested == Tested(p_less=p_less, p_greater=p_greater)
    assert min(p_less, p_greater) == binomtest(12, 12, alternative="greater").pvalue


def test_the_spread_of_single_trials_counts_also_where_all_jobs_differ_by_the_same_amount() -> None:
    alike, nearly = (effect(of, 1, DELTA, Noise(0.04, 24)).tested for of in ([-0.1] * 12, [-0.1] * 11 + [-0.1001]))
    assert alike is not None
    assert nearly is not None
    assert alike.p_less == pytest.approx(nearly.p_less, rel=0.01)
    assert (alike.low, alike.high) == pytest.approx((nearly.low, nearly.high), abs=1e-4)


def test_jobs_that_all_differ_by_the_same_amount_are_no_surer_than_their_number() -> None:
    tested = effect([-0.5] * 6, 1, DELTA, Noise(0.0001, 24)).tested
    assert tested is not None
    assert (tested.p_less, tested.p_greater) == (2**-6, 1.0)


def test_noise_by_rounding_alone_is_none() -> None:
    assert effect([-0.03] * 12, 1, DELTA, Noise(1e-34, 24)) == effect([-0.03] * 12, 1, DELTA)


def test_differences_by_rounding_alone_are_equal() -> None:
    tested = effect([0.3 - 0.2, 0.1, 0.6 - 0.5, 0.8 - 0.7, 0.4 - 0.3], 9, DELTA).tested
    assert tested == Tested(p_less=1.0, p_greater=2**-5)


def test_no_job_no_difference() -> None:
    found = effect([], 9, DELTA)
    assert (found.jobs, found.difference, found.tested) == (0, None, None)
    assert found.why == "measured by no job in both versions"
