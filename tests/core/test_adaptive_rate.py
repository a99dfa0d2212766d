"""In simulated time: nothing waits here."""

import math
from collections import deque
from collections.abc import Callable
from itertools import pairwise

import pytest

from stoic_assets.core.adaptive_rate import (
    A_BURST,
    CUT,
    CUT_AFTER_TIMEOUTS,
    CUT_AGAIN,
    CUT_IN_DOUBT,
    DOUBLED_AFTER,
    DOUBLED_AFTER_DOUBT,
    ENOUGH,
    FASTER,
    FASTER_EVERY,
    LATE_SHARE,
    MADE_GOOD,
    MARGIN,
    SEARCHED_FOR,
    SOON,
    AdaptiveRate,
)

Server = Callable[[float], float]
"""Takes a request that arrives at that moment (0), or says in how many seconds it could be taken."""


def fixed_window(limit: int, seconds: float) -> Server:
    counted = {"window": -1, "taken": 0}

    def wait(now: float) -> float:
        window = math.floor(now / seconds)
        if window != counted["window"]:
            counted.update(window=window, taken=0)
        if counted["taken"] == limit:
            return (window + 1) * seconds - now
        counted["taken"] += 1
        return 0.0

    return wait


def sliding_window(limit: int, seconds: float) -> Server:
    taken: deque[float] = deque()

    def wait(now: float) -> float:
        while taken and taken[0] <= now - seconds:
            taken.popleft()
        if len(taken) == limit:
            return taken[0] + seconds - now
        taken.append(now)
        return 0.0

    return wait


def token_bucket(rate: float, size: int) -> Server:
    state = {"level": float(size), "at": 0.0}

    def wait(now: float) -> float:
        level = min(size, state["level"] + (now - state["at"]) * rate)
        state.update(level=level - (level >= 1), at=now)
        return 0.0 if level >= 1 else (1 - level) / rate

    return wait


def ask(rate: AdaptiveRate, server: Server, seconds: float, said: Callable[[float], float]) -> tuple[float, int]:
    """Requests a second that the server took of one who always has another, and how many it refused."""
    start = now = 0.31
    taken = refused = 0
    while now < start + seconds:
        now = max(now + 1e-4, rate.opens_at)
        rate.depart(now)
        wait = server(now)
        taken += not wait
        if wait:
            refused += 1
            now += 1e-4
            rate.refused(now - 1e-4, now, now + said(wait))
    return taken / seconds, refused


EXACT: Callable[[float], float] = lambda wait: wait  # noqa: E731
WHOLE: Callable[[float], float] = lambda wait: float(math.ceil(wait))  # noqa: E731
UNSAID: Callable[[float], float] = lambda wait: 0.1  # noqa: E731


@pytest.mark.parametrize("said", [EXACT, WHOLE, UNSAID])
@pytest.mark.parametrize(
    ("server", "limit"),
    [
        (lambda: fixed_window(60, 1), 60.0), (lambda: fixed_window(120, 10), 12.0), (lambda: fixed_window(5, 1), 5.0),
        (lambda: sliding_window(60, 1), 60.0), (lambda: sliding_window(300, 5), 60.0),
        (lambda: token_bucket(60, 60), 60.0), (lambda: token_bucket(8, 8), 8.0),
    ],
)  # fmt: skip
def test_an_unknown_limit_is_found_and_kept_to(
    server: Callable[[], Server], limit: float, said: Callable[[float], float]
) -> None:
    per_second, refused = ask(AdaptiveRate(), server(), 60, said)
    assert 0.85 * limit <= per_second <= 1.25 * limit
    assert said is UNSAID or refused < 0.25 * limit * 60


@pytest.mark.parametrize("server", [fixed_window(60, 1), sliding_window(60, 1), token_bucket(60, 3)])
def test_a_known_limit_is_never_passed(server: Server) -> None:
    assert ask(AdaptiveRate(ceiling=60), server, 20, WHOLE) == (pytest.approx(MARGIN * 60, rel=0.01), 0)


def test_a_limit_known_wrongly_is_corrected() -> None:
    per_second, refused = ask(AdaptiveRate(ceiling=100), fixed_window(60, 1), 60, EXACT)
    assert per_second >= 0.93 * 60
    assert refused < 30


def test_without_a_limit_nothing_ever_waits() -> None:
    assert ask(AdaptiveRate(), lambda now: 0.0, 0.5, EXACT) == (pytest.approx(1e4, rel=0.01), 0)


def left(rate: AdaptiveRate, times: int, start: float = 0.0, every: float = 0.01) -> list[float]:
    moments = [start + every * number for number in range(times)]
    for moment in moments:
        rate.depart(moment)
    return moments


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


def emptied(content: int) -> AdaptiveRate:
    """After a burst that a bucket of so many took; it is open again at 1.0."""
    rate = AdaptiveRate()
    moments = left(rate, content + 20, every=0.0001)
    for departed in moments[content:]:
        rate.refused(departed, 0.01, 1.0)
    return rate


def test_after_a_burst_that_told_no_rate_it_is_searched_for() -> None:
    rate = emptied(10)
    assert [rate.rate(1.0 + FASTER_EVERY * step) for step in range(4)] == pytest.approx([30, 60, 120, 240])


def test_so_many_at_once_are_no_burst() -> None:
    below, at = emptied(A_BURST - 1), emptied(A_BURST)
    assert (below.rate(1.0), at.rate(1.0)) == pytest.approx((FASTER * (A_BURST - 1), CUT * A_BURST))


def test_a_search_in_which_nothing_is_asked_for_an_hour_stops_growing() -> None:
    assert emptied(10).rate(3600.0) == emptied(10).rate(1.0 + SEARCHED_FOR) == 30 * 2 ** (SEARCHED_FOR / FASTER_EVERY)


@pytest.mark.parametrize(("refill", "content"), [(60, 10), (200, 30), (25, 8)])
def test_what_drained_the_bucket_tells_its_refill(refill: float, content: int) -> None:
    rate, now, server = emptied(content), 1.0, token_bucket(refill, content)
    while not server(now):
        rate.depart(now)
        now = rate.opens_at
    rate.depart(now)
    rate.refused(now, now, now + 1)
    assert rate.rate(now + 1) == pytest.approx(CUT * refill, rel=0.07)
    in_doubt = rate.rate(now + 1 + DOUBLED_AFTER_DOUBT)
    assert in_doubt == pytest.approx(2 * rate.rate(now + 1)), "what ends a search shows a limit, and little more"


def test_a_bucket_that_was_closed_at_first_is_searched_for_too() -> None:
    rate = AdaptiveRate()
    for departed in left(rate, 20):
        rate.refused(departed, 0.3, 30.0)
    moments = left(rate, 30, start=30.0, every=0.001)
    for departed in moments[10:]:
        rate.refused(departed, 30.1, 31.1)
    assert rate.rate(31.1) == pytest.approx(30)


def test_a_search_that_meets_no_limit_is_given_up() -> None:
    rate = emptied(10)
    rate.depart(1.0 + SEARCHED_FOR + 0.1)
    assert rate.rate(1.0 + SEARCHED_FOR + 0.1) == math.inf


def test_a_known_ceiling_is_never_searched_beyond() -> None:
    rate = AdaptiveRate(ceiling=100)
    for departed in left(rate, 10):
        rate.refused(departed, 0.2, 1.2)
    assert rate.rate(1000.0) <= 100


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
