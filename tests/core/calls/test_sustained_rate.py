"""When a refusal is taken for one that has nothing to do with the rate; in simulated time."""

from simulated_servers import left

from stoic_assets.core.calls.adaptive_rate import AdaptiveRate
from stoic_assets.core.calls.sustained_rate import (
    BELOW,
    BROKEN_PROMISE,
    IN_VAIN,
    PARDONS,
    SUSTAINED_REQUESTS,
    SustainedRate,
)


def accepted(seconds: float, a_second: int, start: float = 0.0, rate: SustainedRate | None = None) -> SustainedRate:
    """After so many seconds in which so many were accepted."""
    rate = rate or SustainedRate()
    for number in range(int(seconds * a_second) + 2):
        rate.depart(start + number / a_second)
    return rate


def refused(rate: SustainedRate, share: float, times: int, now: float = 10.0, soon: bool = True) -> list[bool]:
    """Whether such refusals, at that share of the best rate, are pardoned."""
    return [rate.pardons(now, share * rate.best, soon) for _ in range(times)]


def test_refusals_below_an_accepted_rate_are_pardoned_for_a_while() -> None:
    expected = [False] * (IN_VAIN - 1) + [True] * (PARDONS + 1) + [False]
    assert refused(accepted(10, 50), BELOW - 0.01, len(expected)) == expected


def test_refusals_at_an_accepted_rate_are_about_it() -> None:
    assert not any(refused(accepted(10, 50), BELOW + 0.01, 10))


def test_what_was_accepted_for_a_moment_or_by_few_shows_no_rate() -> None:
    assert accepted(1, 10 * SUSTAINED_REQUESTS).best == accepted(10, SUSTAINED_REQUESTS // 20).best == 0


def test_a_server_that_allows_less_now_is_believed() -> None:
    rate = accepted(10, 50)
    refused(rate, BELOW / 2, IN_VAIN)
    accepted(10, int(50 * BROKEN_PROMISE) - 5, start=10.0, rate=rate)
    refused(rate, BELOW / 2, PARDONS, now=20.0)
    assert rate.best < 50 * BROKEN_PROMISE


def test_whether_the_rate_matters_is_doubted_until_it_is_refused_after_a_pause() -> None:
    rate = accepted(10, 50)
    refused(rate, BELOW / 2, IN_VAIN)
    accepted(1, 50, start=10.0, rate=rate)
    refused(rate, BELOW / 2, PARDONS, now=10.8)
    refused(rate, 1.0, 1)
    assert rate.doubted
    refused(rate, 1.0, 1, soon=False)
    assert not rate.doubted


def test_a_pardoned_refusal_delays_nobody_and_cuts_nothing() -> None:
    rate, now = AdaptiveRate(), 0.0
    for _ in range(40):
        now = left(rate, 25, start=now + 0.02, every=0.02)[-1]
        rate.refused(now, now + 0.001, now + 5.0)
        if rate.opens_at < now + 4:
            break
    else:
        raise AssertionError("every refusal was taken for one that is about the rate")
    assert rate.rate(now) > 40


def test_after_timeouts_what_was_accepted_no_longer_counts() -> None:
    rate = AdaptiveRate()
    for departed in left(rate, 500, every=0.02):
        rate.timed_out(departed, 20.0)
    assert rate.rate(25.0) < 1.1 * rate.rate(20.0)
