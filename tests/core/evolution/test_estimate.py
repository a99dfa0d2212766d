"""A mean over trials with jobs as clusters, against scipy's t interval and its own promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stoic_assets.core.evolution.estimate import WeightedScore, estimated

SHARE = st.floats(0, 1)
SCORES = st.lists(st.builds(WeightedScore, st.sampled_from("abcd"), SHARE, SHARE), min_size=1, max_size=12)


def test_with_equally_many_equal_trials_it_is_students_t_over_job_means() -> None:
    scores = {"a": [0.4, 0.5], "b": [0.5, 0.5], "c": [0.6, 0.7]}
    found = estimated([WeightedScore(job, score, 0.8) for job, each in scores.items() for score in each])
    means = [sum(each) / 2 for each in scores.values()]
    low, high = stats.t.interval(0.95, 2, stats.tmean(means), stats.sem(means))
    assert (found.mean, found.low, found.high, found.why) == (
        pytest.approx(stats.tmean(means)), pytest.approx(low), pytest.approx(high), None,
    )  # fmt: skip
    one_sided = stats.ttest_1samp(means, 0, alternative="greater").confidence_interval(0.95).low
    assert found.lower_bound == pytest.approx(one_sided)


def test_two_jobs_are_enough_for_an_interval() -> None:
    found = estimated([WeightedScore("a", 0.48), WeightedScore("b", 0.52)])
    low, high = stats.t.interval(0.95, 1, 0.5, stats.sem([0.48, 0.52]))
    assert (found.low, found.high, found.why) == (pytest.approx(low), pytest.approx(high), None)


def test_weights_count_and_a_weightless_trial_does_not() -> None:
    known = [WeightedScore("a", 0.2, 0.9), WeightedScore("b", 0.8, 0.3)]
    assert estimated(known).mean == pytest.approx(0.35)
    assert estimated([*known, WeightedScore("c", 1.0, 0.0)]) == estimated(known)


def test_of_one_job_with_nearly_all_the_weight_no_spread_is_known() -> None:
    found = estimated([WeightedScore("a", 0.2, 10.0), WeightedScore("b", 0.8)])
    assert (found.low, found.why) == (None, "one job has more than nine tenths of the weight; an interval needs two")
    assert estimated([WeightedScore("a", 0.2, 0.9), WeightedScore("b", 0.8, 0.1)]).low is not None


def test_where_nothing_weighs_anything_trials_weigh_alike() -> None:
    unsure = [WeightedScore("a", 0.2, 0.0), WeightedScore("b", 0.8, 0.0)]
    assert estimated(unsure) == estimated([WeightedScore("a", 0.2), WeightedScore("b", 0.8)])


def test_means_that_differ_by_rounding_alone_are_the_same() -> None:
    found = estimated([WeightedScore("a", 0.7), WeightedScore("a", 0.1), WeightedScore("b", 0.4)])
    assert (found.low, found.why) == (None, "all jobs have the same mean, which says nothing about the spread")


def test_repeats_of_one_job_do_not_make_it_surer() -> None:
    few = estimated([WeightedScore("a", 0.2), WeightedScore("b", 0.8)])
    many = estimated([WeightedScore(job, score) for job, score in (("a", 0.2), ("b", 0.8)) for _ in range(20)])
    assert many == few


@pytest.mark.parametrize("trials", [(10, 2, 2, 2, 2), (12, 1, 1), (30, *[3] * 9), (36, 1, 1, 1, 1)])
def test_the_interval_covers_the_truth_where_some_jobs_have_far_more_trials(trials: tuple[int, ...]) -> None:
    draws = np.random.default_rng(3)
    found = []
    for _ in range(400):
        jobs = [draws.normal(0.7 + draws.normal(0, 0.05), 0.05, count) for count in trials]
        scores = [WeightedScore(str(job), float(score)) for job, each in enumerate(jobs) for score in each]
        found.append(estimated(scores))
    assert np.mean([each.low <= 0.7 <= each.high for each in found]) > 0.94
    assert np.mean([each.high < 0.7 for each in found]) < 0.04


def test_with_unequal_weights_it_is_the_bias_reduced_interval_with_satterthwaites_freedom() -> None:
    scores = [WeightedScore("a", 0.2, 5.0), WeightedScore("b", 0.5, 3.0), WeightedScore("c", 0.9, 2.0)]
    share = np.array([0.5, 0.3, 0.2])
    factor = np.diag(share**2 / (1 - share))
    residuals = np.eye(3) - np.outer(np.ones(3), share)
    form = residuals.T @ factor @ residuals
    freedom = np.trace(form) ** 2 / np.trace(form @ form)
    values = np.array([0.2, 0.5, 0.9])
    margin = stats.t.ppf(0.975, freedom) * np.sqrt(values @ form @ values)
    found = estimated(scores)
    assert found.mean == pytest.approx(0.43)
    assert found.low == pytest.approx(max(0.0, 0.43 - margin))
    assert found.high == pytest.approx(min(1.0, 0.43 + margin))


@given(SCORES)
def test_bounds_hold_the_mean_or_say_why_there_are_none(scores: list[WeightedScore]) -> None:
    found = estimated(scores)
    assert found.mean is not None
    if found.why is None:
        assert found.low is not None
        assert found.high is not None
        assert found.lower_bound is not None
        assert 0 <= found.low <= found.lower_bound <= found.mean <= found.high <= 1
    else:
        assert (found.low, found.high, found.lower_bound) == (None, None, None)
