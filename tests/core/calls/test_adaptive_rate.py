"""How refusals and timeouts cut a rate, and how it climbs again; in simulated time."""

import math
from itertools import pairwise

import pytest
from simulated_servers import left

from stoic_assets.core.calls.adaptive_rate import (
    CUT,
    CUT_AFTER_TIMEOUTS,
    CUT_AGAIN,
    CUT_IN_DOUBT,
    DOUBLED_AFTER,
    DOUBLED_AFTER_DOUBT,
    ENOUGH,
    LATE_SHARE,
    MADE_GOOD,
    MARGIN,
    SOON,
    AdaptiveRate,
)


def test_one_burst_of_refusals_is_cut_for_once_by_what_was_taken() -> None:
    rate = AdaptiveRate()
    moments = left(rate, 100, every=0.005)
    for departed in moments[60:]:
        rate.refused(departed, 0.6, 2.0)
    assert rate.opens_at == 2.0
    assert rate.rate(2.0) == pytest.approx(CUT * 60)


def test_refusals_that_come_late_count_once_though_what_came_between_is_newer() -> None:
    rate = AdaptiveRate()
    moments = left(rate, 100)
    rate.refused(moments[-1], 2.0, 3.0)
    left(rate, 90, start=3.0)
    for departed in moments[60:-1]:
        rate.refused(departed, 4.0, 4.0)
    assert rate.rate(4.0) == pytest.approx(CUT * 60 / 3.0)


def test_a_refusal_from_before_the_last_opening_but_one_says_nothing_new() -> None:
    rate = AdaptiveRate()
    moments = left(rate, 200)
    rate.refused(moments[-1], 2.0, 3.0)
    later = left(rate, 60, start=3.0)
    rate.refused(later[-1], 4.0, 5.0)
    before = rate.rate(5.0)
    for departed in moments[:-1]:
        rate.refused(departed, 5.0, 5.0)
    assert rate.rate(5.0) == before


@pytest.mark.parametrize(
    ("accepted", "share"), [(ENOUGH - 1, CUT_IN_DOUBT), (ENOUGH, 0.18)], ids=["too few", "enough"]
)
def test_few_requests_do_not_cut_deeply(accepted: int, share: float) -> None:
    rate = cut_down(accepted)
    assert rate.rate(5.0) == pytest.approx(CUT * 100 * share)


@pytest.mark.parametrize(("accepted", "doubled"), [(ENOUGH - 1, DOUBLED_AFTER_DOUBT), (ENOUGH, DOUBLED_AFTER)])
def test_after_a_cut_in_doubt_the_rate_climbs_faster(accepted: int, doubled: float) -> None:
    rate = cut_down(accepted)
    at_first = rate.rate(5.0)
    rate.depart(5.0 + doubled / 2)
    assert rate.rate(5.0 + doubled / 2) == pytest.approx(1.25 * at_first)


def cut_down(accepted: int) -> AdaptiveRate:
    """From 100 a second, by a refusal after so many requests in a second; it is open again at 5.0."""
    rate = AdaptiveRate(ceiling=100 / MARGIN)
    moments = left(rate, accepted + 1, every=0.05)
    rate.refused(moments[-1], moments[-1] + 0.05, 5.0)
    return rate


@pytest.mark.parametrize(("quiet", "share"), [(SOON - 0.1, CUT_AGAIN), (SOON + 0.1, 1.0)])
def test_a_rate_that_is_refused_again_soon_is_cut_by_more_than_it_seems(quiet: float, share: float) -> None:
    rate = AdaptiveRate(ceiling=60 / MARGIN)
    rate.refused(left(rate, 60, every=1 / 60)[-1], 1.0, 1.0)
    before = rate.rate(1.0)
    moments = left(rate, int(before * quiet), start=1.001, every=1 / before)
    rate.refused(moments[-1], 1.0 + quiet, 1.0 + quiet)
    assert rate.rate(1.0 + quiet) == pytest.approx(CUT * share * before, rel=0.02)


def test_requests_slower_than_the_pause_after_them_were_no_burst() -> None:
    rate = AdaptiveRate()
    moments = left(rate, 31, every=0.1)
    rate.refused(moments[-1], 3.01, 4.0)
    assert rate.rate(4.0) == pytest.approx(CUT * 9)


def test_the_time_in_which_an_endpoint_was_closed_at_first_does_not_count() -> None:
    rate = AdaptiveRate()
    rate.depart(0.0)
    rate.refused(0.0, 0.1, 60.0)
    moments = left(rate, 26, start=60.0, every=2.0)
    rate.refused(moments[-1], 110.1, 112.0)
    assert rate.rate(112.0) == pytest.approx(CUT * 25 / 52)


def test_requests_that_are_answered_in_the_moment_they_leave_do_no_harm() -> None:
    """As by a clock that moves in steps."""
    rate = AdaptiveRate(ceiling=60)
    left(rate, 2, every=0.0)
    rate.refused(0.0, 0.0, 0.0)
    assert 0 < rate.rate(0.0) <= 60


def test_an_endpoint_that_took_nothing_is_closed_and_its_rate_unknown() -> None:
    rate = AdaptiveRate()
    for departed in left(rate, 10):
        rate.refused(departed, 0.2, 5.0)
    assert rate.rate(5.0) == math.inf
    assert rate.opens_at == 5.0


def test_a_shorter_pause_does_not_end_a_longer_one() -> None:
    rate = AdaptiveRate()
    rate.close(9.0)
    rate.close(3.0)
    assert rate.opens_at == 9.0


def test_departures_are_evenly_spaced_and_lateness_is_made_good_a_little() -> None:
    rate = AdaptiveRate(ceiling=10 / MARGIN)
    rate.depart(1.0)
    first = rate.opens_at
    rate.depart(first + 0.015)
    assert rate.opens_at == pytest.approx(first + 0.1)
    rate.depart(5.0)
    assert rate.opens_at == pytest.approx(5.1 - MADE_GOOD)


def test_the_rate_climbs_faster_the_longer_nothing_is_refused_up_to_the_ceiling() -> None:
    rate = AdaptiveRate(ceiling=100)
    moments = left(rate, 60, every=1 / 60)
    rate.refused(moments[-1], 1.0, 1.0)
    after = [rate.rate(1.0 + 10 * step) for step in range(40)]
    steps = [later - earlier for earlier, later in pairwise(after)]
    assert 0 < steps[0] < steps[1] < steps[2]
    assert after[-1] == 100 * MARGIN


def test_a_lone_timeout_is_no_overload() -> None:
    rate = AdaptiveRate()
    moments = left(rate, 100)
    for departed in moments[: int(100 * LATE_SHARE)]:
        rate.timed_out(departed, 60.0)
    assert rate.rate(60.0) == math.inf


def test_one_wave_of_timeouts_is_cut_for_once_by_what_left() -> None:
    rate = AdaptiveRate()
    for departed in left(rate, 100):
        rate.timed_out(departed, 50.0)
    assert rate.rate(50.0) == pytest.approx(CUT_AFTER_TIMEOUTS * 100 / 50)
    assert rate.rate(50.0 + DOUBLED_AFTER) == pytest.approx(2 * CUT_AFTER_TIMEOUTS * 100 / 50)


def test_after_a_burst_of_timeouts_a_fifth_of_what_was_accepted_is_left_free() -> None:
    rate = AdaptiveRate()
    for departed in left(rate, 100):
        rate.timed_out(departed, 50.0)
    assert rate.rate(50.0) <= 0.8 * 100 / 50


def test_many_timeouts_slow_down_but_not_below_what_free_slots_allow() -> None:
    rate = AdaptiveRate(least=16 / 60)
    for round_ in range(5):
        for departed in left(rate, 16, start=61.0 * round_):
            rate.timed_out(departed, 61.0 * round_ + 60.5)
    assert 16 / 60 <= rate.rate(305.0) < 0.5
