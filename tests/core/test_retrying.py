import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.endpoint_limits import EndpointLimit
from stoic_assets.core.errors import AttemptFailed, ConfigurationError
from stoic_assets.core.queueing import queueing, working_time
from stoic_assets.core.retrying import REFUSALS_PER_ATTEMPT, AgentUnusable, Delivery, deliver

USUAL = EndpointLimit()
FAST = EndpointLimit(attempts=4, backoff_seconds=0.0001)
REPLY = AgentReply("Hello")
FAILED = AgentFailure("the agent answered 500")
AWAY = AgentFailure("the agent cannot be reached", turned_away=True)


def in_company() -> AgentFailure:
    """A failure while other requests were on their way."""
    failure = AgentFailure("the agent is gone")
    failure.in_company = True
    return failure


BUSY = AgentFailure("the agent is busy", busy=True)


class Gate:
    """A limit at which every attempt queues for a while; it notes how they ended."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.told: list[AttemptFailed | None] = []

    @asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        await asyncio.sleep(self.seconds)
        try:
            yield
        except AttemptFailed as failure:
            self.told.append(failure)
            raise
        self.told.append(None)


def script(*outcomes: AgentReply | Exception) -> Callable[[], Awaitable[AgentReply]]:
    """An agent that does these things one after the other, and the last one for ever."""
    left = list(outcomes)

    async def send() -> AgentReply:
        outcome = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return send


def delivered(
    *outcomes: AgentReply | Exception, limit: EndpointLimit = FAST, seconds: float = 5.0
) -> Delivery[AgentReply]:
    return asyncio.run(deliver(script(*outcomes), limit, seconds, Gate()))


def failed(send: Callable[[], Awaitable[AgentReply]], limit: EndpointLimit, seconds: float = 5.0) -> tuple[int, int]:
    """How many attempts it took to give up, and how many of them count against the agent."""
    attempts = 0

    async def counted() -> AgentReply:
        nonlocal attempts
        attempts += 1
        return await send()

    with pytest.raises(AgentUnusable) as caught:
        asyncio.run(deliver(counted, limit, seconds, Gate()))
    return attempts, caught.value.failures


def test_a_reply_at_once_has_no_failures() -> None:
    delivery = delivered(REPLY)
    assert (delivery.reply, delivery.attempts, delivery.failures) == (REPLY, 1, 0)


def test_whatever_the_agent_gives_is_a_reply() -> None:
    async def nothing() -> None:
        return None

    assert asyncio.run(deliver(nothing, FAST, 5.0, Gate())).attempts == 1


def test_failed_attempts_are_counted_and_the_reply_still_comes() -> None:
    delivery = delivered(FAILED, FAILED, REPLY)
    assert (delivery.reply, delivery.attempts, delivery.failures) == (REPLY, 3, 2)


def test_it_gives_up_after_the_last_attempt_with_the_last_error() -> None:
    outcomes, limit = (FAILED, AgentFailure("the last one")), EndpointLimit(attempts=2, backoff_seconds=0.0001)
    assert failed(script(*outcomes), limit) == (2, 2)
    with pytest.raises(AgentUnusable, match="the last one") as caught:
        delivered(*outcomes, limit=limit)
    assert not caught.value.final


def test_a_final_failure_is_not_tried_again() -> None:
    outcomes = AgentFailure("unknown session", final=True), REPLY
    assert failed(script(*outcomes), FAST) == (1, 1)
    with pytest.raises(AgentUnusable, match="unknown session") as caught:
        delivered(*outcomes)
    assert caught.value.final


@pytest.mark.parametrize(
    ("outcomes", "turned_away"),
    [
        ([AWAY] * 4, True), ([BUSY, AWAY, AWAY, AWAY, AWAY], True), ([FAILED, AWAY, AWAY, AWAY], False),
        ([in_company(), AWAY, AWAY, AWAY], True), ([in_company()] * 4, False),
        ([AWAY, AWAY, AWAY, in_company()], False),
    ],
)
def test_a_request_is_turned_away_when_nobody_dealt_with_any_attempt(
    outcomes: list[AgentFailure], turned_away: bool
) -> None:
    with pytest.raises(AgentUnusable) as caught:
        delivered(*outcomes)
    assert (caught.value.turned_away, caught.value.failures) == (turned_away, 4)


def test_a_busy_agent_is_waited_for_and_has_not_failed() -> None:
    delivery = delivered(*[BUSY] * 7, REPLY)
    assert (delivery.reply, delivery.attempts, delivery.failures) == (REPLY, 8, 0)


def test_an_agent_that_is_always_busy_is_given_up_in_the_end() -> None:
    limit = EndpointLimit(attempts=2, backoff_seconds=0.0001, longest_wait_seconds=0.001)
    assert failed(script(BUSY), limit) == (2 * REFUSALS_PER_ATTEMPT, 0)


@given(st.lists(st.sampled_from([FAILED, BUSY]), max_size=12))
@settings(max_examples=30, deadline=None)
def test_every_attempt_is_a_refusal_a_failure_or_the_reply(before: list[AgentFailure]) -> None:
    limit = EndpointLimit(attempts=4, backoff_seconds=1e-6, longest_wait_seconds=1e-5)
    failures = before.count(FAILED)
    if failures < 4:
        delivery = delivered(*before, REPLY, limit=limit)
        assert (delivery.attempts, delivery.failures) == (len(before) + 1, failures)
    else:
        attempts = [number for number, outcome in enumerate(before, 1) if outcome is FAILED][3]
        assert failed(script(*before, REPLY), limit) == (attempts, 4)


def test_reply_time_holds_attempts_and_waits() -> None:
    async def slow() -> AgentReply:
        await asyncio.sleep(0.03)
        if not calls:
            calls.append(1)
            raise AgentFailure("once", retry_after=0.05)
        return REPLY

    calls: list[int] = []
    delivery = asyncio.run(deliver(slow, FAST, 5.0, Gate()))
    assert 105 <= delivery.response_ms < 5000


@pytest.mark.parametrize(("wish", "least"), [(0.1, 0.1), (60.0, 0.2)])
def test_retry_after_is_honoured_but_not_beyond_the_longest_wait(wish: float, least: float) -> None:
    limit = EndpointLimit(backoff_seconds=0.0001, longest_wait_seconds=0.2)
    start = time.monotonic()
    delivery = delivered(AgentFailure("busy", busy=True, retry_after=wish), REPLY, limit=limit)
    assert delivery.reply == REPLY
    assert least <= time.monotonic() - start < 5


@pytest.mark.parametrize("wish", [None, 0.0, 0.001])
def test_a_busy_agent_is_not_asked_sooner_for_what_it_says(wish: float | None) -> None:
    limit = EndpointLimit(attempts=1, backoff_seconds=0.05, longest_wait_seconds=0.2)
    start = time.monotonic()
    delivered(*[AgentFailure("busy", busy=True, retry_after=wish)] * 3, REPLY, limit=limit)
    assert time.monotonic() - start >= 0.05 + 0.1 + 0.2


def test_the_turn_timeout_cuts_an_attempt_off_and_counts_it() -> None:
    async def hang() -> AgentReply:
        if not calls:
            calls.append(1)
            raise AgentFailure("the agent answered 503")
        await asyncio.sleep(10)
        return REPLY

    calls: list[int] = []
    with pytest.raises(AgentUnusable) as caught:
        asyncio.run(deliver(hang, FAST, 0.3, Gate()))
    assert str(caught.value) == "the agent gave no reply within 0.3 s; before that: the agent answered 503"
    assert (caught.value.failures, caught.value.final) == (2, True)


def test_what_failed_attempts_took_is_no_longer_left_for_the_last_one() -> None:
    async def slow() -> AgentReply:
        await asyncio.sleep(10 if calls else 0.3)
        calls.append(1)
        raise FAILED

    calls: list[int] = []
    start = time.monotonic()
    with pytest.raises(AgentUnusable, match=r"no reply within 0\.5 s"):
        asyncio.run(deliver(slow, FAST, 0.5, Gate()))
    assert 0.5 <= time.monotonic() - start < 1.0, "not 0.3 s and then 0.8 s"


def test_a_request_and_the_test_request_after_it_wait_for_about_ten_seconds_in_all(
    simulated: Callable[[Coroutine[Any, Any, float]], float]
) -> None:
    async def scene() -> float:
        for limit in (USUAL, USUAL.patient()):
            with pytest.raises(AgentUnusable):
                await deliver(script(AWAY), limit, 300.0, Gate())
        return asyncio.get_running_loop().time()

    assert 7.7 <= simulated(scene()) <= 11.0
    assert USUAL.patient().longest_wait_seconds == USUAL.longest_wait_seconds


def test_no_wait_is_begun_that_the_turn_timeout_would_cut_off() -> None:
    start = time.monotonic()
    with pytest.raises(AgentUnusable, match="busy"):
        delivered(AgentFailure("busy", busy=True, retry_after=30.0), REPLY, seconds=20.0)
    assert time.monotonic() - start < 10


def test_no_wait_is_begun_where_everybody_was_refused_for_as_long_as_a_turn_may_take() -> None:
    refusal = AgentFailure("busy", busy=True)
    refusal.refused_seconds = 5.0
    with pytest.raises(AgentUnusable, match="busy") as caught:
        delivered(refusal, REPLY, seconds=5.0)
    assert (caught.value.failures, caught.value.turned_away, caught.value.cut_short) == (0, True, False)
    assert delivered(refusal, REPLY, seconds=6.0).attempts == 2


def in_a_trial(
    left: float, *outcomes: AgentReply | AgentFailure, queued: float = 0.0, limit: EndpointLimit = USUAL
) -> Delivery[AgentReply]:
    """What comes of a request in a trial of 60 s, of which so many are `left` once it has had its first attempt."""

    async def scene() -> Delivery[AgentReply]:
        loop, skipped, act = asyncio.get_running_loop(), [0.0], script(*outcomes)
        clock = loop.time
        loop.time = lambda: clock() + sum(skipped)  # type: ignore[method-assign]

        class Busy:
            @asynccontextmanager
            async def request(self) -> AsyncIterator[None]:
                with queueing():
                    skipped.append(queued)
                yield

        async def send() -> AgentReply:
            skipped[0] = 60 - left
            return await act()

        async with working_time(60):
            return await deliver(send, limit, 300.0, Busy())

    return asyncio.run(scene())


@pytest.mark.parametrize("failure", [AWAY, BUSY, FAILED])
def test_no_wait_is_begun_that_the_end_of_the_trial_would_cut_off(failure: AgentFailure) -> None:
    waits = AgentFailure(str(failure), retry_after=29.0, busy=failure.busy, turned_away=failure.turned_away)
    with pytest.raises(AgentUnusable, match=str(failure)) as caught:
        in_a_trial(20.0, waits, REPLY)
    assert (caught.value.cut_short, caught.value.turned_away) == (True, failure is not FAILED)


def test_what_is_left_of_the_trial_does_not_shrink_while_its_clock_stands_still() -> None:
    delivery = in_a_trial(60.0, FAILED, REPLY, queued=3600.0, limit=FAST)
    assert (delivery.reply, delivery.failures) == (REPLY, 1)


@pytest.mark.parametrize(
    ("failure", "limit"), [(AWAY, EndpointLimit(attempts=1)), (AgentFailure("forbidden", final=True), EndpointLimit())]
)
def test_what_would_have_ended_anyway_was_not_cut_short(failure: AgentFailure, limit: EndpointLimit) -> None:
    with pytest.raises(AgentUnusable) as caught:
        in_a_trial(0.001, failure, limit=limit)
    assert not caught.value.cut_short


@pytest.mark.parametrize("failures", [0, 1])
def test_cancellation_passes_through(failures: int) -> None:
    async def cancelled() -> None:
        started, left = asyncio.Event(), [FAILED] * failures

        async def hang() -> AgentReply:
            if left:
                raise left.pop()
            started.set()
            await asyncio.sleep(10)
            return REPLY

        task = asyncio.create_task(deliver(hang, FAST, 5.0, Gate()))
        await started.wait()
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


@pytest.mark.parametrize("error", [ConfigurationError("wrong key"), TimeoutError("not ours"), KeyError("bug")])
@pytest.mark.parametrize("failures", [0, 1])
def test_other_errors_pass_through_at_whichever_attempt(error: Exception, failures: int) -> None:
    with pytest.raises(type(error)) as caught:
        delivered(*[FAILED] * failures, error, REPLY)
    assert caught.value is error


def test_every_attempt_passes_the_gate_which_hears_how_it_ended() -> None:
    gate = Gate()
    delivery = asyncio.run(deliver(script(BUSY, FAILED, REPLY), FAST, 5.0, gate))
    assert delivery.reply == REPLY
    assert gate.told == [BUSY, FAILED, None]


def test_queueing_for_our_own_limit_is_nobodys_time() -> None:
    start = time.monotonic()
    delivery = asyncio.run(deliver(script(FAILED, FAILED, REPLY), FAST, 0.5, Gate(seconds=0.2)))
    assert (delivery.reply, delivery.failures) == (REPLY, 2)
    assert time.monotonic() - start >= 0.6
    assert delivery.response_ms < 500


def test_the_limit_hears_that_an_attempt_was_cut_off() -> None:
    async def hang() -> AgentReply:
        await asyncio.sleep(10)
        return REPLY

    gate = Gate(seconds=0.03)
    with pytest.raises(AgentUnusable) as caught:
        asyncio.run(deliver(hang, FAST, 0.02, gate))
    assert [(str(failure), failure.late) for failure in gate.told if failure] == [
        ("the agent gave no reply within 0.02 s", True)
    ]
    assert caught.value.failures == 1
