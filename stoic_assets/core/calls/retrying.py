"""Retrying a remote call: when, after which wait, how often. One policy for agents, models and receivers.

Adapters decide what a failed attempt is (`AttemptFailed`); the endpoint's limit, how many calls run at once.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception
from tenacity.wait import wait_exponential_jitter

from stoic_assets.core.calls.queueing import time_left
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.errors import AttemptFailed, StoicError

T = TypeVar("T")
REFUSALS_PER_ATTEMPT = 10
"""A refusal (429, 529) is no failure, but an endpoint that answers nothing else must not block a call forever."""


class Gate(Protocol):
    """The limit of an endpoint."""

    def request(self) -> AbstractAsyncContextManager[Any]:
        """A context that is entered when an attempt may start; it learns from the `AttemptFailed` raised inside."""
        ...

    def answered_since(self, moment: float) -> bool:
        """Whether any request was answered after that moment of the event loop."""
        ...


@dataclass
class Tally:
    """The counts of one call so far: failed attempts, including one that a time-out ended, and refusals (`busy`).

    `excused` is true while each attempt was turned away, or failed while other requests were on their way, which may be
    due to them; `hung_up`, while each was hung up on; `alone`, while no others were on their way. `turned_away` is true
    if nobody may be there: each attempt was hung up on, or all are excused and the last one was turned away or hung up
    on. `queued_seconds` were spent waiting for our own limit, and count for nobody. `refused_seconds`: how long
    everybody has been refused, by the last attempt.
    """

    failures: int = 0
    refusals: int = 0
    problem: str | None = None
    excused: bool = True
    hung_up: bool = True
    alone: bool = True
    turned_away: bool = True
    queued_seconds: float = 0.0
    refused_seconds: float = 0.0

    def spent(self, limit: EndpointLimit) -> bool:
        """Whether no further attempt is allowed."""
        return self.failures >= limit.attempts or self.refusals >= limit.attempts * REFUSALS_PER_ATTEMPT


@dataclass(frozen=True)
class Delivery(Generic[T]):
    """A reply of the agent and what it took.

    `response_ms` is the time from the first attempt to the reply, retries and back-off included. Of the `attempts` the
    `failures` count against the agent; `problem` is what the last attempt before the reply met.
    """

    reply: T
    attempts: int
    failures: int
    response_ms: float
    problem: str | None = None

    def after(self, outage: "AgentUnusable") -> "Delivery[T]":
        """The same reply after an outage, which counts as one failed attempt and takes none of the reply time."""
        attempts, failures = self.attempts + 1, self.failures + 1
        return replace(self, attempts=attempts, failures=failures, problem=self.problem or str(outage))


class AgentUnusable(StoicError):
    """The agent failed every attempt at one request.

    `failures` count against it; `final`: it refused outright; `turned_away`: as in `Tally`; `late`: the last attempt
    was, and if it was turned away, no connection was made in time; `may_be_outage`: as in `AttemptFailed`;
    `hung_up_alone`: on each attempt, and no other request can have brought it down; `cut_short`: only the enclosing
    `working_time` prevented another attempt; `remedy`: what to do if it serves nobody.
    """

    def __init__(self, last: AttemptFailed, tally: Tally, cut_short: bool) -> None:
        super().__init__(str(last))
        self.failures, self.final, self.turned_away = tally.failures, last.final, tally.turned_away
        self.late, self.may_be_outage = last.late, tally.turned_away and last.may_be_outage
        self.hung_up_alone = tally.hung_up and tally.alone
        self.cut_short, self.says_how_to_go_on = cut_short, last.says_how_to_go_on
        self.remedy = remedy(last)

    @property
    def forgets(self) -> bool:
        """Whether the agent may no longer know the session: it refuses what concerns it, and serves others."""
        return self.final and not self.turned_away


def remedy(last: AttemptFailed) -> str:
    """What the user can do about an endpoint that serves nobody, as the `last` attempt at it found."""
    return "wait, or raise its limit" if last.busy else "get it running again"


async def deliver(
    send: Callable[[], Awaitable[T]], limit: EndpointLimit, turn_timeout: float, gate: Gate
) -> Delivery[T]:
    """Makes one request to the agent, retried where that can help, for at most `turn_timeout` seconds in all.

    Every attempt passes the `gate`; waiting there is our own queueing, and counts neither for the reply time nor for
    the time-out. No wait begins that would exceed the enclosing `working_time`, or the `turn_timeout` of an agent that
    refuses everybody: otherwise the requests queued behind its refusals would give up one after the other.
    Raises `AgentUnusable`; any exception other than `AttemptFailed` passes through, cancellation included.
    """
    clock = asyncio.get_running_loop().time
    tally, start = Tally(), clock()

    def taken() -> float:
        return clock() - start - tally.queued_seconds

    def left() -> float:
        return turn_timeout - max(taken(), tally.refused_seconds)

    async def attempt() -> T:
        arrived = clock()
        async with gate.request():
            tally.queued_seconds += clock() - arrived
            return await _in_time(send, turn_timeout, turn_timeout - taken(), tally)

    try:
        reply = await persist(attempt, limit, tally, lambda: min(left(), time_left()))
    except AttemptFailed as failure:
        cut_short = not failure.final and not tally.spent(limit) and time_left() < left()
        raise AgentUnusable(failure, tally, cut_short) from None
    return Delivery(reply, tally.failures + tally.refusals + 1, tally.failures, taken() * 1000, tally.problem)


async def _in_time(send: Callable[[], Awaitable[T]], turn_timeout: float, left: float, tally: Tally) -> T:
    """The reply, within the seconds `left` of the turn; else a final failure.

    If all attempts before were turned away, or hung up on, and this one found no time, so may it have been: a test
    request decides.
    """
    try:
        async with asyncio.timeout(left) as deadline:
            return await send()
    except TimeoutError:
        if not deadline.expired():
            raise
        before = f"; before that: {tally.problem}" if tally.problem else ""
        problem = f"the agent gave no reply within {turn_timeout:g} s{before}"
        away = tally.failures > 0 and not tally.refusals and tally.turned_away
        hung_up = away and tally.hung_up
        raise AttemptFailed(problem, late=True, final=not away, turned_away=away, hung_up=hung_up) from None


async def persist(
    send: Callable[[], Awaitable[T]], limit: EndpointLimit, tally: Tally, left: Callable[[], float]
) -> T:
    """The result of the first attempt that succeeds; else the last `AttemptFailed` is raised.

    No wait begins that takes as many seconds as are `left`, or more. `tally` counts every attempt that fails.
    """
    try:
        return await _attempt(send, tally)
    except AttemptFailed as failure:
        first = [failure]

    async def attempt() -> T:
        """Repeats the first failure for the policy; most calls succeed at once and save the 0.1 ms that it costs."""
        if first:
            raise first.pop()
        return await _attempt(send, tally)

    def given_up(state: RetryCallState) -> bool:
        return tally.spent(limit) or state.upcoming_sleep >= left()

    policy = AsyncRetrying(
        sleep=asyncio.sleep, retry=retry_if_exception(_can_help), wait=_pause(limit), stop=given_up, reraise=True
    )
    return await policy(attempt)


async def _attempt(send: Callable[[], Awaitable[T]], tally: Tally) -> T:
    try:
        return await send()
    except AttemptFailed as failure:
        tally.problem, tally.refused_seconds = str(failure), failure.refused_seconds
        tally.refusals += failure.busy
        tally.failures += not failure.busy
        # An agent that stops breaks off all requests on their way, or answers 500; after that they find nobody.
        tally.excused &= failure.turned_away or failure.in_company
        tally.hung_up &= failure.hung_up
        tally.alone &= not failure.in_company
        tally.turned_away = tally.hung_up or (tally.excused and (failure.turned_away or failure.hung_up))
        raise


def _can_help(error: BaseException) -> bool:
    return isinstance(error, AttemptFailed) and not error.final


def _pause(limit: EndpointLimit) -> Callable[[RetryCallState], float]:
    """Exponential back-off with jitter, or longer if the server asks for it; never more than the limit's longest wait.

    Not shorter if the server asks for less: one that is busy and says 0, or whose clock is slow, would get more
    requests.
    """
    backoff = wait_exponential_jitter(multiplier=limit.backoff_seconds, jitter=limit.backoff_seconds)

    def seconds(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        wish = error.retry_after if isinstance(error, AttemptFailed) else None
        return min(max(backoff(state), wish or 0.0), limit.longest_wait_seconds)

    return seconds
