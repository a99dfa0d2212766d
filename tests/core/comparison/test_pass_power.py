"""pass^k of evaluations, whose cells hold C(c, k) / C(n, k): against every subset of k trials, taken by hand."""

from itertools import combinations
from math import comb
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, t

from stoic_assets.core.comparison.pass_power import FEWEST_JOBS_FOR_INTERVAL, PassPower, pass_powers

Row = dict[str, Any]
SAME = "all jobs have the same pass^k, which says nothing about the spread"
JOBS = st.lists(st.lists(st.booleans(), min_size=3, max_size=6), min_size=1, max_size=20)


def cell(job: str, passed: list[bool], k: int, condition: str = "withheld", scenario: str | None = None) -> Row:
    """A row of `job_reliability`."""
    estimate = comb(sum(passed), k) / comb(len(passed), k) if len(passed) >= k else None
    return {
        "job": job, "scenario": scenario, "condition": condition, "trials": len(passed), "passed": sum(passed),
        "invalid_trials": 0, "k": k, "estimate": estimate,
    }  # fmt: skip


def all_succeed(passed: list[bool], k: int) -> float:
    """The share of subsets of k trials in which all passed."""
    return fmean(all(chosen) for chosen in combinations(passed, k))


@given(JOBS)
def test_the_estimate_is_the_share_of_subsets_that_pass(jobs: list[list[bool]]) -> None:
    rows = [cell(str(place), passed, k) for k in (3, 1, 2) for place, passed in enumerate(jobs)]
    found = pass_powers(rows)
    assert [power.k for power in found] == [1, 2, 3]
    for power in found:
        assert power.estimate == pytest.approx(fmean(all_succeed(passed, power.k) for passed in jobs))
        assert power.jobs == len(jobs)
    assert found[0].estimate >= found[1].estimate >= found[2].estimate  # type: ignore[operator]


@given(JOBS)
def test_an_interval_only_from_twelve_jobs(jobs: list[list[bool]]) -> None:
    [power] = pass_powers(cell(str(place), passed, 2) for place, passed in enumerate(jobs))
    if len(jobs) < FEWEST_JOBS_FOR_INTERVAL:
        assert (power.low, power.high) == (None, None)
        assert power.why == f"{len(jobs)} job{'s' * (len(jobs) > 1)}; an interval needs 12"
    elif len({all_succeed(passed, 2) for passed in jobs}) == 1:
        assert (power.low, power.high, power.why) == (None, None, SAME)
    else:
        assert power.why is None
        assert power.low is not None
        assert power.high is not None
        assert power.estimate is not None
        assert 0 <= power.low <= power.estimate <= power.high <= 1


@pytest.mark.parametrize("passed", [True, False])
def test_where_all_jobs_are_the_same_there_is_no_interval(passed: bool) -> None:
    [power] = pass_powers(cell(str(place), [passed, passed], 2) for place in range(12))
    assert power == PassPower(2, float(passed), None, None, 12, SAME)


def test_the_interval_is_students_over_jobs() -> None:
    jobs = [[place % 3 > 0, True, place % 4 > 0] for place in range(24)]
    [power] = pass_powers(cell(str(place), passed, 2) for place, passed in enumerate(jobs))
    means = np.array([all_succeed(passed, 2) for passed in jobs])
    low, high = t.interval(0.95, 23, means.mean(), means.std(ddof=1) / 24**0.5)
    assert (power.low, power.high) == pytest.approx((low, high))
    drawn = bootstrap((means,), np.mean, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert (power.low, power.high) == pytest.approx((drawn.low, drawn.high), abs=0.03)


def test_the_interval_is_cut_to_what_can_be() -> None:
    for odd in (True, False):
        [power] = pass_powers(cell(str(place), [odd ^ (place > 0)] * 2, 2) for place in range(12))
        assert (power.low if odd else power.high) == float(not odd)


def test_too_few_trials_in_one_cell_make_it_not_estimable() -> None:
    rows = [cell("a", [True] * 3, 3), cell("b", [True] * 2, 3), cell("c", [True], 3)]
    assert pass_powers(rows) == [
        PassPower(3, None, None, None, 3, "not estimable: 2 of 3 cells have fewer than 3 valid trials")
    ]


def test_conditions_of_a_job_are_one_observation_and_scenarios_are_several() -> None:
    rows = [cell("a", [True], 1), cell("a", [False], 1, "supplied"), cell("b", [True], 1)]
    assert (pass_powers(rows)[0].estimate, pass_powers(rows)[0].jobs) == (0.75, 2)
    scenarios = [cell("marcus", [place > 2], 1, scenario=f"s{place}") for place in range(12)]
    [power] = pass_powers(scenarios)
    assert (power.jobs, power.estimate) == (12, 0.75)
    assert power.low is not None


def test_nothing_gives_nothing() -> None:
    assert pass_powers([]) == []
