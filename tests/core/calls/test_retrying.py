"""Attempts: which count, when no further one is made, and what passes through."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from delivered_requests import AWAY, BUSY, FAILED, FAST, HUNG_UP, REPLY, Gate, delivered, script
from hypothesis import given
from hypothesis import strategies as st
from simulated_time import simulated

from stoic_assets.core.calls.retrying import REFUSALS_PER_ATTEMPT, AgentUnusable, deliver
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.errors import ConfigurationError


def in_company(hung_up: bool = False) -> AgentFailure:
    """A failure while other requests were on their way."""
    failure = AgentFailure("the agent is gone", hung_up=hung_up)
    failure.in_company = True
    return failure


def failed(send: Callable[[], Awaitable[AgentReply]], limit: EndpointLimit, seconds: float = 5.0) -> tuple[int, int]:
    """How many attempts it took to give up, and how many of them count against the agent."""
    attempts = 0

    async def counted() -> AgentReply:
        nonlocal attempts
        attempts += 1
        return await send()

    with pytest.raises(AgentUnusable) as caught:
        simulated(deliver(counted, limit, seconds, Gate()))
    return attempts, caught.value.failures


def test_a_reply_at_once_has_no_failures() -> None:
    delivery = delivered(REPLY)
    assert (delivery.reply, delivery.attempts, delivery.failures) == (REPLY, 1, 0)


def test_whatever_the_agent_gives_is_a_reply() -> None:
    async def nothing() -> None:
        return None

    assert simulated(deliver(nothing, FAST, 5.0, Gate())).attempts == 1


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
        ([AWAY, AWAY, AWAY, in_company()], False), ([HUNG_UP] * 4, True), ([HUNG_UP, AWAY, AWAY, AWAY], False),
        ([in_company(), AWAY, AWAY, HUNG_UP], False), ([in_company(), AWAY, AWAY, in_company(hung_up=True)], True),
        ([HUNG_UP, HUNG_UP, HUNG_UP, FAILED], False), ([FAILED, HUNG_UP, HUNG_UP, HUNG_UP], False),
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
def test_every_attempt_is_a_refusal_a_failure_or_the_reply(before: list[AgentFailure]) -> None:
    limit = EndpointLimit(attempts=4, backoff_seconds=1e-6, longest_wait_seconds=1e-5)
    failures = before.count(FAILED)
    if failures < 4:
        delivery = delivered(*before, REPLY, limit=limit)
        assert (delivery.attempts, delivery.failures) == (len(before) + 1, failures)
    else:
        attempts = [number for number, outcome in enumerate(before, 1) if outcome is FAILED][3]
        assert failed(script(*before, REPLY), limit) == (attempts, 4)


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
        simulated(cancelled())


@pytest.mark.parametrize("error", [ConfigurationError("wrong key"), TimeoutError("not ours"), KeyError("bug")])
@pytest.mark.parametrize("failures", [0, 1])
def test_other_errors_pass_through_at_whichever_attempt(error: Exception, failures: int) -> None:
    with pytest.raises(type(error)) as caught:
        delivered(*[FAILED] * failures, error, REPLY)
    assert caught.value is error


def test_every_attempt_passes_the_gate_which_hears_how_it_ended() -> None:
    gate = Gate()
    delivery = simulated(deliver(script(BUSY, FAILED, REPLY), FAST, 5.0, gate))
    assert delivery.reply == REPLY
    assert gate.told == [BUSY, FAILED, None]
