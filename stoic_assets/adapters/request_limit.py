"""How hard one endpoint is pressed: requests at the same time, and the pause that its Retry-After asks of everyone."""

import asyncio
import math
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType

from stoic_assets.core.settings import EndpointLimit


class RequestLimit:
    """The slots of one endpoint, to be held by `async with` while a request runs; belongs to one event loop.

    Whoever holds a slot tells how it went: `accepted()`, or `refused(retry_after)` for a 429. A limit that adapts its
    rate needs no more than that.
    """

    def __init__(self, limit: EndpointLimit) -> None:
        self._slots = asyncio.Semaphore(limit.in_flight)
        self._longest, self._fallback = limit.longest_wait_seconds, limit.backoff_seconds
        self._closed_until = 0.0

    async def __aenter__(self) -> "RequestLimit":
        await self._slots.acquire()
        try:
            while (wait := self._closed_until - time.monotonic()) > 0:  # noqa: ASYNC110 - the clock opens it, no event
                await asyncio.sleep(wait)
        except BaseException:
            self._slots.release()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._slots.release()

    def accepted(self) -> None:
        """The endpoint took a request. A fixed limit learns nothing from that."""

    def refused(self, retry_after: float | None) -> None:
        """The endpoint wants less: nobody gets a slot for that many seconds, or for one back-off."""
        seconds = min(self._fallback if retry_after is None else retry_after, self._longest)
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)


def retry_after_seconds(value: str | None) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110 §10.2.3: a number or a date); None if unreadable."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        # A date without a zone is in UTC: HTTP knows no other.
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
