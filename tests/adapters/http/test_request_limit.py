"""Requests that wait for one another: in their slots, without holding up anything else."""

import asyncio
from contextlib import suppress
from itertools import pairwise

import pytest
from limited_requests import waited
from simulated_time import simulated

from stoic_assets.adapters.http.request_limit import RequestLimit, RequestLimits
from stoic_assets.core.calls.queueing import working_time
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.errors import AttemptFailed


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

    assert simulated(most_at_once()) == 3


def test_waiting_here_stops_the_clock_of_a_trial() -> None:
    async def scene() -> float:
        limit = RequestLimit(EndpointLimit(in_flight=1, requests_per_minute=600))

        async def trial() -> None:
            async with working_time(0.1):
                await waited(limit)

        await asyncio.gather(*[trial() for _ in range(4)])
        return asyncio.get_running_loop().time()

    assert simulated(scene()) >= 0.28


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

    assert min(simulated(scene())) >= 3


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

    assert simulated(main()) == [True, True, False]


@pytest.mark.parametrize(
    ("answer", "away"),
    [
        (None, False), (AttemptFailed("500"), False), (AttemptFailed("429", busy=True), False),
        (AttemptFailed("503", turned_away=True), True), (AttemptFailed("reset", hung_up=True), True),
        (AttemptFailed("no reply", late=True), True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("meanwhile", [True, False])
def test_nobody_is_there_where_no_connection_is_made_in_time_unless_another_is_answered_meanwhile(
    answer: AttemptFailed | None, away: bool, meanwhile: bool
) -> None:
    async def main() -> tuple[bool, bool]:
        requests = RequestLimit(EndpointLimit())

        async def another() -> None:
            with suppress(AttemptFailed):
                async with requests.request():
                    await asyncio.sleep(2.0 if meanwhile else 0.5)
                    if answer:
                        raise answer

        answered, silence = asyncio.create_task(another()), AttemptFailed("silence", late=True, turned_away=True)
        await asyncio.sleep(1.0)
        with suppress(AttemptFailed):
            async with requests.request():
                await asyncio.sleep(10.0)
                raise silence
        await answered
        return silence.turned_away, silence.is_slow

    gone = away or not meanwhile
    assert simulated(main()) == (gone, not gone)


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


def test_a_limit_knows_its_host_however_it_is_spelt() -> None:
    limits = RequestLimits(EndpointLimit())
    assert limits.at("http://localhost:8081/a") is limits.at("http://127.0.0.1:8081") is limits.at("http://[::1]:8081")
