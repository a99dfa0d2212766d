"""Limits the requests to one endpoint: how many at the same time, and when the next one may be sent."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from stoic_assets.core.calls.adaptive_rate import AdaptiveRate
from stoic_assets.core.calls.queueing import queueing, slot_of
from stoic_assets.core.calls.token_budget import TokenBudget
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit, ModelLimit
from stoic_assets.core.configuration.service_address import service_at
from stoic_assets.core.errors import AttemptFailed


@dataclass
class Pace:
    """What is known about an endpoint's limits: it outlives event loops, and all callers of the endpoint share it."""

    rate: AdaptiveRate
    tokens: TokenBudget | None

    @classmethod
    def of(cls, limit: EndpointLimit) -> "Pace":
        """The initial pace."""
        ceiling = limit.requests_per_minute / 60 if limit.requests_per_minute else math.inf
        # Even if all requests time out, slots become free at this rate.
        rate = AdaptiveRate(ceiling, least=limit.in_flight / limit.timeout_seconds)
        tokens = limit.tokens_per_minute if isinstance(limit, ModelLimit) else None
        return cls(rate, TokenBudget(tokens) if tokens else None)


@dataclass
class Passage:
    """One request on its way: when it was sent, its estimated tokens, and the tokens it used.

    The latter are 0 if it gets no reply, and None if the reply does not say: then the estimate stands. `number` counts
    the requests of the limit; `in_company`: others were on their way when it was sent.
    """

    left_at: float
    reserved: float = 0.0
    tokens: int | None = 0
    number: int = 0
    in_company: bool = False


class RequestLimit:
    """The limit of one endpoint for one role, in one event loop.

    First come, first served: a request waits for a slot, then for its turn, and only the first in that queue watches
    the clock, and whether others give tokens back.
    """

    def __init__(self, limit: EndpointLimit, pace: Pace | None = None) -> None:
        self._slots, self._door = asyncio.Semaphore(limit.in_flight), asyncio.Lock()
        self._longest, self._fallback = limit.longest_wait_seconds, limit.backoff_seconds
        self._pace, self._bell = pace or Pace.of(limit), asyncio.Event()
        self._refusing_since: float | None = None
        self._answered_at = -math.inf
        self._sent = self._under_way = 0

    @asynccontextmanager
    async def request(self, tokens: float = 0.0) -> AsyncIterator[Passage]:
        """Holds a slot while one request of about so many `tokens` runs; learns from how it ends (`AttemptFailed`).

        Waiting for the slot is `queueing`: it counts in no reply time.
        """
        async with slot_of(self._slots):
            with queueing():
                passage = await self._depart(tokens)
            try:
                yield passage
            except AttemptFailed as failure:
                failure.in_company = passage.in_company or self._sent > passage.number
                self._learn(failure, passage.left_at)
                raise
            else:
                self._refusing_since, self._answered_at = None, asyncio.get_running_loop().time()
            finally:
                self._under_way -= 1
                if self._pace.tokens and passage.tokens is not None:
                    self._pace.tokens.settle(passage.reserved, passage.tokens)
                    self._bell.set()

    def answered_since(self, moment: float) -> bool:
        """Whether any request was answered after that moment of the event loop, be it with a refusal or an error."""
        return self._answered_at > moment

    async def _depart(self, tokens: float) -> Passage:
        pace, loop = self._pace, asyncio.get_running_loop()
        async with self._door:
            while (opens := self._opens_at()) > loop.time():
                self._bell.clear()
                alarm = loop.call_at(opens, self._bell.set)
                try:
                    await self._bell.wait()
                finally:
                    alarm.cancel()
            now = loop.time()
            pace.rate.depart(now)
            self._sent, self._under_way = self._sent + 1, self._under_way + 1
            reserved = pace.tokens.reserve(now, tokens) if pace.tokens else 0.0
            return Passage(now, reserved, number=self._sent, in_company=self._under_way > 1)

    def _opens_at(self) -> float:
        rate, tokens = self._pace.rate, self._pace.tokens
        return max(rate.opens_at, tokens.opens_at) if tokens else rate.opens_at

    def _learn(self, failure: AttemptFailed, left_at: float) -> None:
        """A refusal or a time-out due to our rate slows all requests down; a Retry-After stops them all until then.

        The failure records for how long all attempts have been refused, and that somebody is there who answers others.
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
            failure.turned_away &= not self.answered_since(left_at)
        elif failure.busy or not (failure.turned_away or failure.hung_up):
            self._answered_at = now
        if failure.is_slow:
            rate.timed_out(left_at, now)
        if failure.retry_after is not None:
            rate.close(now + wait)


class RequestLimits:
    """The limits of one role: one for each host, whatever the path."""

    def __init__(self, limit: EndpointLimit) -> None:
        self._limit = limit
        self._of_host: dict[tuple[str, int | None], RequestLimit] = {}

    def at(self, url: str) -> RequestLimit:
        """The limit of the host and port in this valid address, however they are spelt and whoever logs in there."""
        service = service_at(url)
        return self._of_host.setdefault((service.host, service.port), RequestLimit(self._limit))
