"""How long attempts and the waits between them may take, and whose time that is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from delivered_requests import AWAY, BUSY, FAILED, FAST, HUNG_UP, REPLY, USUAL, Gate, delivered, script
from simulated_time import simulated

from stoic_assets.core.calls.queueing import queueing, working_time
from stoic_assets.core.calls.retrying import AgentUnusable, Delivery, deliver
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply


def test_reply_time_holds_attempts_and_waits() -> None:
    async def slow() -> AgentReply:
        await asyncio.sleep(0.03)
        if not calls:
            calls.append(1)
            raise AgentFailure("once", retry_after=0.05)
        return REPLY

    calls: list[int] = []
    delivery = simulated(deliver(slow, FAST, 5.0, Gate()))
    assert delivery.response_ms == pytest.approx(110)


@pytest.mark.parametrize(("wish", "least"), [(0.1, 0.1), (60.0, 0.2)])
def test_retry_after_is_honoured_but_not_beyond_the_longest_wait(wish: float, least: float) -> None:
    limit = EndpointLimit(backoff_seconds=0.0001, longest_wait_seconds=0.2)
    delivery = delivered(AgentFailure("busy", busy=True, retry_after=wish), REPLY, limit=limit)
    assert delivery.reply == REPLY
    assert delivery.response_ms == pytest.approx(1000 * least)


@pytest.mark.parametrize("wish", [None, 0.0, 0.001])
def test_a_busy_agent_is_not_asked_sooner_for_what_it_says(wish: float | None) -> None:
    limit = EndpointLimit(attempts=1, backoff_seconds=0.05, longest_wait_seconds=0.2)
    delivery = delivered(*[AgentFailure("busy", busy=True, retry_after=wish)] * 3, REPLY, limit=limit)
    assert delivery.response_ms >= 50 + 100 + 200


def test_the_turn_timeout_cuts_an_attempt_off_and_counts_it() -> None:
    async def hang() -> AgentReply:
        if not calls:
            calls.append(1)
            raise AgentFailure("the agent answered 503")
        await asyncio.sleep(10)
        return REPLY

    calls: list[int] = []
    with pytest.raises(AgentUnusable) as caught:
        simulated(deliver(hang, FAST, 0.3, Gate()))
    assert str(caught.value) == "the agent gave no reply within 0.3 s; before that: the agent answered 503"
    assert (caught.value.failures, caught.value.final) == (2, True)


def test_what_failed_attempts_took_is_no_longer_left_for_the_last_one() -> None:
    async def slow() -> AgentReply:
        await asyncio.sleep(10 if calls else 0.3)
        calls.append(1)
        raise FAILED

    async def scene() -> float:
        with pytest.raises(AgentUnusable, match=r"no reply within 0\.5 s"):
            await deliver(slow, FAST, 0.5, Gate())
        return asyncio.get_running_loop().time()

    calls: list[int] = []
    assert simulated(scene()) == pytest.approx(0.5), "not 0.3 s and then 0.8 s"


@pytest.mark.parametrize("failure", [AWAY, HUNG_UP, FAILED, BUSY])
def test_an_attempt_that_the_turn_timeout_cuts_off_was_turned_away_if_all_before_it_were(failure: AgentFailure) -> None:
    async def slow() -> AgentReply:
        await asyncio.sleep(0.3)
        raise failure

    with pytest.raises(AgentUnusable, match=f"no reply within 0.5 s; before that: {failure}") as caught:
        simulated(deliver(slow, FAST, 0.5, Gate()))
    assert caught.value.failures == 2 - (failure is BUSY)
    assert caught.value.turned_away is caught.value.may_be_outage is (failure in (AWAY, HUNG_UP))
    assert caught.value.hung_up_alone is (failure is HUNG_UP)
    assert not caught.value.cut_short


def test_a_request_and_the_test_request_after_it_wait_for_about_ten_seconds_in_all() -> None:
    async def scene() -> float:
        for limit in (USUAL, USUAL.patient()):
            with pytest.raises(AgentUnusable):
                await deliver(script(AWAY), limit, 300.0, Gate())
        return asyncio.get_running_loop().time()

    assert 7.7 <= simulated(scene()) <= 11.0
    assert USUAL.patient().longest_wait_seconds == USUAL.longest_wait_seconds


def test_no_wait_is_begun_that_the_turn_timeout_would_cut_off() -> None:
    async def scene() -> float:
        with pytest.raises(AgentUnusable, match="busy"):
            await deliver(script(AgentFailure("busy", busy=True, retry_after=30.0), REPLY), FAST, 20.0, Gate())
        return asyncio.get_running_loop().time()

    assert simulated(scene()) == 0


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

    first, act = iter([60 - left]), script(*outcomes)

    class Busy:
        @asynccontextmanager
        async def request(self) -> AsyncIterator[None]:
            with queueing():
                await asyncio.sleep(queued)
            yield

    async def send() -> AgentReply:
        await asyncio.sleep(next(first, 0))
        return await act()

    async def scene() -> Delivery[AgentReply]:
        async with working_time(60):
            return await deliver(send, limit, 300.0, Busy())

    return simulated(scene())


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


def test_queueing_for_our_own_limit_is_nobodys_time() -> None:
    async def scene() -> tuple[Delivery[AgentReply], float]:
        delivery = await deliver(script(FAILED, FAILED, REPLY), FAST, 0.5, Gate(seconds=0.2))
        return delivery, asyncio.get_running_loop().time()

    delivery, seconds = simulated(scene())
    assert (delivery.reply, delivery.failures) == (REPLY, 2)
    assert seconds == pytest.approx(0.6, rel=0.01)
    assert delivery.response_ms < 10


def test_the_limit_hears_that_an_attempt_was_cut_off() -> None:
    async def hang() -> AgentReply:
        await asyncio.sleep(10)
        return REPLY

    gate = Gate(seconds=0.03)
    with pytest.raises(AgentUnusable) as caught:
        simulated(deliver(hang, FAST, 0.02, gate))
    assert [(str(failure), failure.late) for failure in gate.told if failure] == [
        ("the agent gave no reply within 0.02 s", True)
    ]
    assert caught.value.failures == 1
