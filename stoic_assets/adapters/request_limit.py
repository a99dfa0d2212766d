"""How hard one endpoint is pressed: requests at the same time, and when the next one may leave."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from stoic_assets.core.adaptive_rate import AdaptiveRate, TokenBudget
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.queueing import queueing, slot_of
from stoic_assets.core.settings import EndpointLimit, ModelLimit


@dataclass
class Pace:
    """What is known of an endpoint's limits: outlives event loops, is shared by all that ask the endpoint."""

    rate: AdaptiveRate
    tokens: TokenBudget | None

    @classmethod
    def of(cls, limit: EndpointLimit) -> "Pace":
        """The pace to begin with."""
        ceiling = limit.requests_per_minute / 60 if limit.requests_per_minute else math.inf
        # Requests that all time out free the slots at that rate.
        rate = AdaptiveRate(ceiling, least=limit.in_flight / limit.timeout_seconds)
        tokens = limit.tokens_per_minute if isinstance(limit, ModelLimit) else None
        return cls(rate, TokenBudget(tokens) if tokens else None)


@dataclass
class Passage:
    """One request on its way: when it left, the tokens it was taken to need, and those it used."""

    left_at: float
    reserved: float = 0.0
    tokens: int = 0


class RequestLimit:
    """The limit of one endpoint for one role, in one event loop.

    First come, first served: a request waits for a slot, then at the door, where only the first in the queue watches
    the clock.
    """

    def __init__(self, limit: EndpointLimit, pace: Pace | None = None) -> None:
        self._slots, self._door = asyncio.Semaphore(limit.in_flight), asyncio.Lock()
        self._longest, self._fallback = limit.longest_wait_seconds, limit.backoff_seconds
        self._pace = pace or Pace.of(limit)
        self._refusing_since: float | None = None

    @asynccontextmanager
    async def request(self) -> AsyncIterator[Passage]:
        """Holds a slot while one request runs, and learns from how it ends (`AttemptFailed`).

        Waiting for it is `queueing`: it is nobody's time.
        """
        async with slot_of(self._slots):
            with queueing():
                passage = await self._depart()
            try:
                yield passage
            except AttemptFailed as failure:
                self._learn(failure, passage.left_at)
                raise
            else:
                self._refusing_since = None
            finally:
                if self._pace.tokens:
                    self._pace.tokens.settle(passage.reserved, passage.tokens)

    async def _depart(self) -> Passage:
        pace, clock = self._pace, asyncio.get_running_loop().time
        async with self._door:
            while (wait := self._opens_at() - clock()) > 0:  # noqa: ASYNC110 - the clock opens it, no event
                await asyncio.sleep(wait)
            now = clock()
            pace.rate.depart(now)
            return Passage(now, pace.tokens.reserve(now) if pace.tokens else 0.0)

    def _opens_at(self) -> float:
        rate, tokens = self._pace.rate, self._pace.tokens
        return max(rate.opens_at, tokens.opens_at) if tokens else rate.opens_at

    def _learn(self, failure: AttemptFailed, left_at: float) -> None:
        """A refusal or a time-out slows everyone down; a Retry-After closes the door to everyone.

        For how long there have been nothing but refusals, the failure is told.
        """
        rate, now = self._pace.rate, asyncio.get_running_loop().time()
        wait = min(max(self._fallback, failure.retry_after or 0.0), self._longest)
        if failure.busy:
            rate.refused(left_at, now, now + wait)
            self._refusing_since = now if self._refusing_since is None else self._refusing_since
            failure.refused_seconds = now - self._refusing_since
        else:
            self._refusing_since = None
        if failure.late:
            rate.timed_out(left_at, now)
        if failure.retry_after is not None:
            rate.close(now + wait)


class RequestLimits:
    """The limits of one role: one for each host, whatever the path."""

    def __init__(self, limit: EndpointLimit) -> None:
        self._limit = limit
        self._of_host: dict[str, RequestLimit] = {}

    def at(self, url: str) -> RequestLimit:
        """The limit of the host that this address leads to."""
        host = urlsplit(url.strip()).netloc.lower()
        return self._of_host.setdefault(host, RequestLimit(self._limit))


def retry_after_seconds(value: str | None, date: str | None = None) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110 §10.2.3: a number or a date); None if unreadable.

    A date is reckoned from the `date` of the same answer: the server's clock may go wrong, and so may ours.
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        moment = _moment(value)
        if moment is None:
            return None
        seconds = (moment - (_moment(date or "") or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _moment(date: str) -> datetime | None:
    """A date of HTTP; None if unreadable."""
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return None
    # A date without a zone is in UTC: HTTP knows no other.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
