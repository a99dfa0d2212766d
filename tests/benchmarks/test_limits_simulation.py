"""In simulated time: how close to an unknown limit of each kind the adaptive rate keeps."""

import statistics

import pytest

from benchmarks.limits_simulation import OVERLOADS, Overload, ratios, seconds_overloaded


@pytest.mark.parametrize("retry_after", ["whole", "exact", "none"])
@pytest.mark.parametrize("counter", ["fixed", "sliding", "bucket"])
def test_an_unknown_limit_costs_a_fifth_at_most(counter: str, retry_after: str) -> None:
    found = ratios(counter, retry_after, seeds=7)
    assert statistics.median(found) <= 1.2
    assert found[-1] <= 1.6


def test_the_promised_kind_of_server_is_found_out_within_a_tenth_whatever_the_seed() -> None:
    assert ratios("fixed", "whole", seeds=7)[-1] <= 1.1


def test_no_simulation_is_faster_than_the_server_allows() -> None:
    # A bucket begins full, a window half-way: 0.05 is that head start.
    assert ratios("fixed", "exact", seeds=3)[0] > 0.92
    assert ratios("bucket", "exact", seeds=3)[0] > 0.98


@pytest.mark.parametrize(("share", "times"), [(0.001, 1.35), (0.01, 1.3), (0.05, 2.0)])
def test_refusals_that_no_rate_prevents_slow_down_little(share: float, times: float) -> None:
    assert overloaded(Overload(share)) <= times * overloaded(Overload(0.0))


def test_after_ten_seconds_of_overload_the_rate_is_soon_what_it_was() -> None:
    assert overloaded(OVERLOADS["half, for ten seconds"]) <= overloaded(Overload(0.0)) + 2 * 10


def overloaded(overload: Overload) -> float:
    return statistics.median(seconds_overloaded(overload, seed) for seed in range(3))
