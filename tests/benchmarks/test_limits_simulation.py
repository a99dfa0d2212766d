"""In simulated time: how close to an unknown limit of each kind the adaptive rate keeps."""

import statistics

import pytest

from benchmarks.limits_simulation import ratios


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
