import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from stoic_assets.adapters.request_limit import RequestLimit, retry_after_seconds
from stoic_assets.core.settings import EndpointLimit


def test_no_more_requests_run_at_once_than_there_are_slots() -> None:
    async def most_at_once() -> int:
        limit, now, most = RequestLimit(EndpointLimit(in_flight=3)), 0, 0

        async def request() -> None:
            nonlocal now, most
            async with limit:
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.001)
                now -= 1

        await asyncio.gather(*[request() for _ in range(20)])
        return most

    assert asyncio.run(most_at_once()) == 3


@pytest.mark.parametrize(("wish", "least"), [(0.1, 0.1), (None, 0.05), (60.0, 0.2)])
def test_a_refusal_pauses_everyone_but_not_beyond_the_longest_wait(wish: float | None, least: float) -> None:
    async def waited() -> float:
        limit = RequestLimit(EndpointLimit(in_flight=4, backoff_seconds=0.05, longest_wait_seconds=0.2))
        async with limit:
            limit.refused(wish)
        start = time.monotonic()
        async with limit:
            return time.monotonic() - start

    assert least - 0.01 <= asyncio.run(waited()) < 10


def test_a_shorter_wish_does_not_end_a_longer_pause() -> None:
    async def waited() -> float:
        limit = RequestLimit(EndpointLimit())
        limit.refused(0.1)
        limit.refused(0.0)
        start = time.monotonic()
        async with limit:
            return time.monotonic() - start

    assert asyncio.run(waited()) >= 0.09


def test_a_slot_comes_back_from_one_who_is_cancelled_in_a_pause() -> None:
    async def scene() -> bool:
        limit = RequestLimit(EndpointLimit(in_flight=1))
        limit.refused(0.05)
        queued = asyncio.create_task(limit.__aenter__())
        await asyncio.sleep(0.01)
        queued.cancel()
        async with asyncio.timeout(1), limit:
            return True

    assert asyncio.run(scene())


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("", None), (None, None), ("soon", None), ("inf", None), ("nan", None)],
)
def test_retry_after_in_seconds(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value) == seconds


def test_retry_after_as_a_date() -> None:
    moment = datetime.now(UTC) + timedelta(seconds=30)
    seconds = retry_after_seconds(format_datetime(moment, usegmt=True))
    assert seconds is not None
    assert 28 <= seconds <= 30
    assert retry_after_seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert retry_after_seconds("Wed, 21 Oct 2015 07:28:00 -0000") == 0.0
