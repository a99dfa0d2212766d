"""Requests leave at the rate of the settings and of the server's answers, and within a budget of tokens."""

import asyncio
import math
from contextlib import suppress
from itertools import pairwise

import pytest
from limited_requests import busy, fail, waited
from simulated_time import simulated

from stoic_assets.adapters.http.request_limit import Pace, RequestLimit
from stoic_assets.core.calls.adaptive_rate import MARGIN
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit, ModelLimit
from stoic_assets.core.errors import AttemptFailed


def test_requests_leave_in_order_and_evenly_spaced_under_a_known_limit() -> None:
    async def scene() -> list[tuple[int, float]]:
        limit, departures = RequestLimit(EndpointLimit(in_flight=4, requests_per_minute=6000)), []

        async def request(number: int) -> None:
            async with limit.request():
                departures.append((number, asyncio.get_running_loop().time()))

        await asyncio.gather(*[request(number) for number in range(20)])
        return departures

    numbers, moments = zip(*simulated(scene()), strict=True)
    assert numbers == tuple(range(20))
    assert moments[-1] - moments[0] >= 0.16
    assert max(later - earlier for earlier, later in pairwise(moments)) < 0.011


def test_a_budget_of_tokens_holds_requests_back_once_replies_told_what_they_need() -> None:
    async def scene() -> tuple[float, float]:
        limit = RequestLimit(ModelLimit(tokens_per_minute=6_000_000))
        first = await waited(limit)
        async with limit.request() as passage:
            passage.tokens = 20_000
        return first, await waited(limit)

    first, after = simulated(scene())
    assert first == 0
    assert after == pytest.approx(0.2, rel=0.1)


def test_a_request_that_failed_does_not_count_among_those_that_tell_what_one_needs() -> None:
    limit = ModelLimit(tokens_per_minute=6_000_000)
    pace = Pace.of(limit)
    simulated(fail(RequestLimit(limit, pace), AttemptFailed("500")))
    assert pace.tokens is not None
    assert pace.tokens.reserve(0.0, 0) == 1000


def test_a_budget_of_tokens_lifts_no_other_limit() -> None:
    async def scene() -> float:
        limit = RequestLimit(ModelLimit(tokens_per_minute=6_000_000, requests_per_minute=600))
        await waited(limit)
        return await waited(limit)

    assert 0.08 < simulated(scene()) < 0.1


def test_who_waits_for_tokens_leaves_when_another_gives_them_back_and_nobody_overtakes() -> None:
    async def scene() -> tuple[float, list[str]]:
        limit, departures = RequestLimit(ModelLimit(tokens_per_minute=60_000)), []

        async def large() -> None:
            with suppress(AttemptFailed):
                async with limit.request(10_000):
                    await asyncio.sleep(0.05)
                    raise AttemptFailed("500")

        async def small(name: str) -> None:
            async with limit.request(10) as passage:
                departures.append(name)
                passage.tokens = 10

        async with asyncio.timeout(5):
            await asyncio.gather(large(), small("first"), small("second"))
        return asyncio.get_running_loop().time(), departures

    seconds, departures = simulated(scene())
    assert 0.05 < seconds < 0.07
    assert departures == ["first", "second"]


def test_the_first_pace_is_what_the_settings_say() -> None:
    pace = Pace.of(EndpointLimit(requests_per_minute=600))
    assert (pace.rate.rate(0.0), pace.tokens) == (pytest.approx(MARGIN * 10), None)
    assert Pace.of(EndpointLimit()).rate.rate(0.0) == math.inf


def test_timeouts_do_not_slow_down_below_the_rate_at_which_slots_become_free() -> None:
    pace = Pace.of(EndpointLimit(in_flight=8, timeout_seconds=4))
    for departed in range(100):
        pace.rate.depart(float(departed))
        pace.rate.timed_out(float(departed), departed + 0.5)
    assert pace.rate.rate(100.0) == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize(
    ("failure", "slower"),
    [
        (busy(0.0), True), (AttemptFailed("slow", late=True), True), (AttemptFailed("500"), False),
        (AttemptFailed("silence", late=True, turned_away=True), False),
    ],
)  # fmt: skip
def test_what_was_learned_outlives_the_loop(failure: AttemptFailed, slower: bool) -> None:
    limit = EndpointLimit(in_flight=40)
    pace = Pace.of(limit)

    async def learn() -> None:
        requests = RequestLimit(limit, pace)
        async with requests.request():
            await asyncio.sleep(0.02)
        await fail(requests, failure)

    async def pressed() -> bool:
        return pace.rate.rate(asyncio.get_running_loop().time()) < 1000

    simulated(learn())
    assert simulated(pressed()) is slower
