"""How an unknown limit is found and a known one kept to; in simulated time."""

import math
from collections.abc import Callable

import pytest
from simulated_servers import Server, ask, fixed_window, left, sliding_window, token_bucket

from stoic_assets.core.calls.adaptive_rate import (
    A_BURST,
    CUT,
    DOUBLED_AFTER_DOUBT,
    FASTER,
    FASTER_EVERY,
    MARGIN,
    SEARCHED_FOR,
    AdaptiveRate,
)

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
