"""A server that is busy or asks for it pauses everyone, and is given up once for all."""

import asyncio

import pytest
from limited_requests import busy, fail, waited
from simulated_time import simulated

from stoic_assets.adapters.http.request_limit import Pace, RequestLimit
from stoic_assets.core.calls.adaptive_rate import AdaptiveRate
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.calls.retrying import AgentUnusable, deliver
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.errors import AttemptFailed


@pytest.mark.parametrize(("wish", "least"), [(0.1, 0.1), (0.01, 0.05), (None, 0.05), (0.0, 0.05), (60.0, 0.2)])
def test_a_refusal_pauses_everyone_but_not_beyond_the_longest_wait(wish: float | None, least: float) -> None:
    async def scene() -> float:
        limit = RequestLimit(EndpointLimit(in_flight=4, backoff_seconds=0.05, longest_wait_seconds=0.2))
        await fail(limit, busy(wish))
        return await waited(limit)

    assert simulated(scene()) == pytest.approx(least)


def test_who_waits_at_the_door_waits_on_when_another_is_refused_meanwhile() -> None:
    async def scene() -> float:
        limit = RequestLimit(EndpointLimit(in_flight=4, backoff_seconds=0.05))

        async def refused_meanwhile() -> None:
            async with limit.request():
                await asyncio.sleep(0.03)
                raise busy(0.15)

        other = asyncio.create_task(refused_meanwhile())
        await asyncio.sleep(0.01)
        await fail(limit, busy(0.05))
        seconds = await waited(limit)
        with pytest.raises(AttemptFailed):
            await other
        return seconds

    assert simulated(scene()) == pytest.approx(0.17)


@pytest.mark.parametrize(
    ("failure", "pause"), [(busy(), 0.05), (busy(3.0), 3.0), (AttemptFailed("slow", late=True), None)]
)
def test_what_goes_wrong_counts_from_when_its_request_left(failure: AttemptFailed, pause: float | None) -> None:
    """Those that had left before are no second sign that the rate is too high."""

    class Noting(AdaptiveRate):
        def refused(self, departed: float, now: float, until: float) -> None:
            self.at = departed, now, until - now

        def timed_out(self, departed: float, now: float) -> None:
            self.at = departed, now, None

    rate, left = Noting(), []

    async def failed() -> None:
        async with RequestLimit(EndpointLimit(backoff_seconds=0.05), Pace(rate, None)).request() as passage:
            left.append(passage.left_at)
            await asyncio.sleep(0.01)
            raise failure

    with pytest.raises(AttemptFailed):
        simulated(failed())
    departed, now, until = rate.at
    assert left == [departed]
    assert now - departed == pytest.approx(0.01)
    assert until == (None if pause is None else pytest.approx(pause))


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [(AttemptFailed("503", retry_after=0.1), 0.1), (AttemptFailed("500"), 0), (KeyError("bug"), 0)],
)
def test_only_a_server_that_asks_for_it_pauses_everyone(failure: Exception, seconds: float) -> None:
    async def scene() -> float:
        limit = RequestLimit(EndpointLimit())
        with pytest.raises(type(failure)):
            async with limit.request():
                raise failure
        return await waited(limit)

    assert simulated(scene()) == pytest.approx(seconds)


@pytest.mark.parametrize("answer", [None, AttemptFailed("500"), AttemptFailed("slow", late=True)])
def test_for_how_long_everybody_was_refused_is_told_until_somebody_is_not(answer: AttemptFailed | None) -> None:
    async def scene() -> list[float]:
        limit, refusals = RequestLimit(EndpointLimit()), [busy(0.01) for _ in range(4)]
        for refusal in refusals[:2]:
            await fail(limit, refusal)
        await (fail(limit, answer) if answer else waited(limit))
        for refusal in refusals[2:]:
            await fail(limit, refusal)
        return [refusal.refused_seconds for refusal in refusals]

    first, second, third, fourth = simulated(scene())
    assert first == third == 0
    assert [second, fourth] == pytest.approx([0.1, 0.1])


def test_an_agent_that_refuses_everybody_is_given_up_once_for_all() -> None:
    limit = EndpointLimit(requests_per_minute=1200)
    requests, asked = RequestLimit(limit), []

    async def refused() -> None:
        asked.append(1)
        raise busy(0.1)

    with pytest.raises(AgentUnusable, match="busy") as caught:
        simulated(concurrently(deliver(refused, limit, 0.5, requests) for _ in range(8)))
    assert (caught.value.failures, caught.value.cut_short) == (0, False)
    assert len(asked) < 8, "alone, each of them would be refused for half a second"


def test_a_slot_comes_back_from_one_who_is_cancelled_in_a_pause() -> None:
    async def scene() -> bool:
        limit = RequestLimit(EndpointLimit(in_flight=1))
        await fail(limit, busy(0.05))
        queued = asyncio.create_task(waited(limit))
        await asyncio.sleep(0.01)
        queued.cancel()
        async with asyncio.timeout(1), limit.request():
            return True

    assert simulated(scene())
