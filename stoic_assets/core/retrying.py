"""Trying a remote call again: when, after which wait, how often. The one policy for agents and models.

What a failed attempt is, the adapters decide (`AttemptFailed`); how many calls run at once, the endpoint's limit.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_before_delay
from tenacity.wait import wait_exponential_jitter

from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.settings import EndpointLimit

T = TypeVar("T")
REFUSALS_PER_ATTEMPT = 10
"""A 429 is no failure, but an endpoint that answers nothing else must not hold a call for ever."""


class Gate(Protocol):
    """What the limit of an endpoint wants to hear about each attempt."""

    def accepted(self) -> None: ...

    def refused(self, retry_after: float | None) -> None: ...


@dataclass
class Tally:
    """How one call went so far; `refusals` (429) are among the `attempts` but are nobody's failure."""

    attempts: int = 0
    refusals: int = 0
    problem: str | None = None

    def spent(self, limit: EndpointLimit) -> bool:
        """Whether no further attempt is allowed."""
        tried = self.attempts - self.refusals
        return tried >= limit.attempts or self.refusals >= limit.attempts * REFUSALS_PER_ATTEMPT


@dataclass(frozen=True)
class Delivery:
    """How one message to the agent went.

    `response_ms` runs from the first attempt to the reply or to giving up, retries and back-off included. `failures`
    are the attempts that failed, one that the time-out cut off included. Either `reply` or `error` is set.
    """

    reply: AgentReply | None
    attempts: int
    failures: int
    response_ms: float
    error: AgentFailure | None = None


async def deliver(
    send: Callable[[], Awaitable[AgentReply]], limit: EndpointLimit, turn_timeout: float, gate: Gate | None = None
) -> Delivery:
    """Sends one message to the agent, again where that can help, for at most `turn_timeout` seconds in all.

    The caller holds the endpoint's slot, so that our own queueing is not in the reply time. Whatever is not an
    `AgentFailure` passes through, cancellation included.
    """
    tally, reply, error = Tally(), None, None
    start = time.perf_counter()
    try:
        async with asyncio.timeout(turn_timeout) as deadline:
            reply = await persist(send, limit, tally, gate, within_seconds=turn_timeout)
    except AgentFailure as failure:
        error = failure
    except TimeoutError:
        if not deadline.expired():
            raise
        before = f"; before that: {tally.problem}" if tally.problem else ""
        error = AgentFailure(f"the agent gave no reply within {turn_timeout:g} s{before}")
    elapsed_ms = (time.perf_counter() - start) * 1000
    failures = tally.attempts - tally.refusals - (reply is not None)
    return Delivery(reply, tally.attempts, failures, elapsed_ms, error)


async def persist(
    send: Callable[[], Awaitable[T]], limit: EndpointLimit, tally: Tally, gate: Gate | None = None,
    within_seconds: float = math.inf,
) -> T:
    """The result of the first attempt that succeeds; else the last `AttemptFailed` is raised.

    No wait is begun that would end after `within_seconds`. `tally` and `gate` are told about every attempt.
    """

    async def attempt() -> T:
        tally.attempts += 1
        try:
            result = await send()
        except AttemptFailed as failure:
            tally.problem = str(failure)
            if failure.busy:
                tally.refusals += 1
                if gate:
                    gate.refused(failure.retry_after)
            raise
        if gate:
            gate.accepted()
        return result

    out_of_time = stop_before_delay(within_seconds)
    policy = AsyncRetrying(
        sleep=asyncio.sleep,
        retry=retry_if_exception(_can_help),
        wait=_pause(limit),
        stop=lambda state: tally.spent(limit) or out_of_time(state),
        reraise=True,
    )
    return await policy(attempt)


def _can_help(error: BaseException) -> bool:
    return isinstance(error, AttemptFailed) and not error.final


def _pause(limit: EndpointLimit) -> Callable[[RetryCallState], float]:
    """The server's wish, else exponential back-off with jitter; never longer than the limit's longest wait."""
    backoff = wait_exponential_jitter(
        multiplier=limit.backoff_seconds, jitter=limit.backoff_seconds, max=limit.longest_wait_seconds
    )

    def seconds(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        wish = error.retry_after if isinstance(error, AttemptFailed) else None
        return backoff(state) if wish is None else min(wish, limit.longest_wait_seconds)

    return seconds
