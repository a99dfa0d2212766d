import asyncio
import math
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from stoic_assets.adapters.http.request_limit import Pace, RequestLimit, RequestLimits, retry_after_seconds
from stoic_assets.core.adaptive_rate import MARGIN, AdaptiveRate
from stoic_assets.core.concurrent_calls import concurrently
from stoic_assets.core.endpoint_limits import EndpointLimit, ModelLimit
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.queueing import working_time
from stoic_assets.core.retrying import AgentUnusable, deliver


async def fail(limit: RequestLimit, failure: AttemptFailed) -> None:
    """One request that ends so."""
    with pytest.raises(AttemptFailed):
        async with limit.request():
            raise failure


async def waited(limit: RequestLimit) -> float:
    """Seconds that one request had to wait."""
    start = time.monotonic()
    async with limit.request():
        return time.monotonic() - start


def busy(retry_after: float | None = None) -> AttemptFailed:
    return AttemptFailed("busy", busy=True, retry_after=retry_after)


def test_no_more_requests_run_at_once_than_there_are_slots() -> None:
    async def most_at_once() -> int:
        limit, now, most = RequestLimit(EndpointLimit(in_flight=3)), 0, 0

        async def request() -> None:
            nonlocal now, most
            async with limit.request():
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.001)
                now -= 1

        await asyncio.gather(*[request() for _ in range(20)])
        return most

    assert asyncio.run(most_at_once()) == 3


@pytest.mark.parametrize(("wish", "least"), [(0.1, 0.1), (0.01, 0.05), (None, 0.05), (0.0, 0.05), (60.0, 0.2)])
def test_a_refusal_pauses_everyone_but_not_beyond_the_longest_wait(wish: float | None, least: float) -> None:
    async def scene() -> float:
        limit = RequestLimit(EndpointLimit(in_flight=4, backoff_seconds=0.05, longest_wait_seconds=0.2))
        await fail(limit, busy(wish))
        return await waited(limit)

    assert least - 0.01 <= asyncio.run(scene()) < 10


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

    assert 0.14 <= asyncio.run(scene()) < 10


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
        asyncio.run(failed())
    departed, now, until = rate.at
    assert left == [departed]
    assert departed < now
    assert until == (None if pause is None else pytest.approx(pause))


@pytest.mark.parametrize(("failure", "least", "most"), [
    (AttemptFailed("503", retry_after=0.1), 0.09, 10), (AttemptFailed("500"), 0, 0.05), (KeyError("bug"), 0, 0.05),
])  # fmt: skip
def test_only_a_server_that_asks_for_it_pauses_everyone(failure: Exception, least: float, most: float) -> None:
    async def scene() -> float:
        limit = RequestLimit(EndpointLimit())
        with pytest.raises(type(failure)):
            async with limit.request():
                raise failure
        return await waited(limit)

    assert least <= asyncio.run(scene()) < most


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

    first, second, third, fourth = asyncio.run(scene())
    assert first == third == 0
    assert min(second, fourth) >= 0.01


def test_an_agent_that_refuses_everybody_is_given_up_once_for_all() -> None:
    limit = EndpointLimit(requests_per_minute=1200)
    requests, asked = RequestLimit(limit), []

    async def refused() -> None:
        asked.append(1)
        raise busy(0.1)

    with pytest.raises(AgentUnusable, match="busy") as caught:
        asyncio.run(concurrently(deliver(refused, limit, 0.5, requests) for _ in range(8)))
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

    assert asyncio.run(scene())


def test_requests_leave_in_order_and_evenly_spaced_under_a_known_limit() -> None:
    async def scene() -> list[tuple[int, float]]:
        limit, departures = RequestLimit(EndpointLimit(in_flight=4, requests_per_minute=6000)), []

        async def request(number: int) -> None:
            async with limit.request():
                departures.append((number, time.monotonic()))

        await asyncio.gather(*[request(number) for number in range(20)])
        return departures

    numbers, moments = zip(*asyncio.run(scene()), strict=True)
    assert numbers == tuple(range(20))
    assert moments[-1] - moments[0] >= 0.16
    assert max(later - earlier for earlier, later in pairwise(moments)) < 0.1


def test_waiting_here_stops_the_clock_of_a_trial() -> None:
    async def scene() -> float:
        limit, start = RequestLimit(EndpointLimit(in_flight=1, requests_per_minute=600)), time.monotonic()

        async def trial() -> None:
            async with working_time(0.1):
                await waited(limit)

        await asyncio.gather(*[trial() for _ in range(4)])
        return time.monotonic() - start

    assert asyncio.run(scene()) >= 0.28


def test_a_budget_of_tokens_holds_requests_back_once_replies_told_what_they_need() -> None:
    async def scene() -> tuple[float, float]:
        limit = RequestLimit(ModelLimit(tokens_per_minute=6_000_000))
        first = await waited(limit)
        async with limit.request() as passage:
            passage.tokens = 20_000
        return first, await waited(limit)

    first, after = asyncio.run(scene())
    assert first < 0.05
    assert after >= 0.18


def test_a_request_that_failed_does_not_count_among_those_that_tell_what_one_needs() -> None:
    limit = ModelLimit(tokens_per_minute=6_000_000)
    pace = Pace.of(limit)
    asyncio.run(fail(RequestLimit(limit, pace), AttemptFailed("500")))
    assert pace.tokens is not None
    assert pace.tokens.reserve(0.0, 0) == 1000


def test_a_budget_of_tokens_lifts_no_other_limit() -> None:
    async def scene() -> float:
        limit = RequestLimit(ModelLimit(tokens_per_minute=6_000_000, requests_per_minute=600))
        await waited(limit)
        return await waited(limit)

    assert asyncio.run(scene()) >= 0.07


def test_who_waits_lets_others_go_on() -> None:
    async def scene() -> list[int]:
        limit, moved, seen = RequestLimit(EndpointLimit(requests_per_minute=200)), 0, []

        async def other() -> None:
            nonlocal moved
            while True:
                await asyncio.sleep(0.005)
                moved += 1

        going_on = asyncio.create_task(other())
        for _ in range(3):
            await waited(limit)
            seen.append(moved)
        going_on.cancel()
        return [later - earlier for earlier, later in pairwise(seen)]

    assert min(asyncio.run(scene())) >= 3


def test_who_waits_for_tokens_leaves_when_another_gives_them_back_and_nobody_overtakes() -> None:
    async def scene() -> tuple[float, list[str]]:
        limit, start, departures = RequestLimit(ModelLimit(tokens_per_minute=60_000)), time.monotonic(), []

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
        return time.monotonic() - start, departures

    seconds, departures = asyncio.run(scene())
    assert 0.05 <= seconds < 2
    assert departures == ["first", "second"]


def test_the_first_pace_is_what_the_settings_say() -> None:
    pace = Pace.of(EndpointLimit(requests_per_minute=600))
    assert (pace.rate.rate(0.0), pace.tokens) == (pytest.approx(MARGIN * 10), None)
    assert Pace.of(EndpointLimit()).rate.rate(0.0) == math.inf


def test_a_failure_knows_whether_other_requests_were_on_their_way() -> None:
    async def main() -> list[bool]:
        requests, gone = RequestLimit(EndpointLimit()), asyncio.Event()

        async def broken() -> bool:
            failure = AttemptFailed("gone")
            with suppress(AttemptFailed):
                async with requests.request():
                    await gone.wait()
                    raise failure
            return failure.in_company

        both = [asyncio.create_task(broken()) for _ in range(2)]
        await asyncio.sleep(0.01)
        gone.set()
        return [*await asyncio.gather(*both), await broken()]

    assert asyncio.run(main()) == [True, True, False]


def test_timeouts_do_not_slow_down_below_the_rate_at_which_slots_become_free() -> None:
    pace = Pace.of(EndpointLimit(in_flight=8, timeout_seconds=4))
    for departed in range(100):
        pace.rate.depart(float(departed))
        pace.rate.timed_out(float(departed), departed + 0.5)
    assert pace.rate.rate(100.0) == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize(
    ("failure", "slower"), [(busy(0.0), True), (AttemptFailed("slow", late=True), True), (AttemptFailed("500"), False)]
)
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

    asyncio.run(learn())
    assert asyncio.run(pressed()) is slower


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        ("http://HOST:80/b", True), ("http://ada:key@host", True), ("http://host:2/a", False),
        ("https://host/a", False), ("http://elsewhere/a", False),
    ],
)  # fmt: skip
def test_a_limit_belongs_to_a_host(other: str, shared: bool) -> None:
    limits = RequestLimits(EndpointLimit())
    assert (limits.at("http://host/a") is limits.at(other)) is shared


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("", None), ("soon", None), ("inf", None), ("nan", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after_seconds({"Retry-After": value}) == seconds


def test_an_answer_without_retry_after_asks_for_no_wait() -> None:
    assert retry_after_seconds({"Date": "Wed, 21 Oct 2015 07:28:00 GMT"}) is None


def test_retry_after_as_a_date() -> None:
    moment = datetime.now(UTC) + timedelta(seconds=30)
    seconds = retry_after_seconds({"Retry-After": format_datetime(moment, usegmt=True)})
    assert seconds is not None
    assert 28 <= seconds <= 30


@pytest.mark.parametrize(
    "date",
    [
        "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 -0000", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ],
)  # fmt: skip
def test_a_retry_after_that_is_over_asks_for_no_wait(date: str) -> None:
    assert retry_after_seconds({"Retry-After": date}) == 0.0


@pytest.mark.parametrize(
    "date",
    [
        "Thu, 99 Foo 2094",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2030 00:00:00 +99999999999999",
    ],
)
def test_a_retry_after_that_is_no_date_is_left_alone(date: str) -> None:
    assert retry_after_seconds({"Retry-After": date}) is None


@pytest.mark.parametrize(
    ("date", "seconds"),
    [("Wed, 21 Oct 2015 07:28:00 GMT", 30.0), ("Wed, 21 Oct 2015 07:29:00 GMT", 0.0), ("soon", 0.0)],
)
def test_a_date_is_reckoned_from_that_of_the_answer(date: str, seconds: float) -> None:
    assert retry_after_seconds({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": date}) == seconds
