"""Requests to an agent that does as it is told, one attempt after the other."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from simulated_time import simulated

from stoic_assets.core.calls.retrying import Delivery, deliver
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.errors import AttemptFailed

USUAL = EndpointLimit()
FAST = EndpointLimit(attempts=4, backoff_seconds=0.0001)
REPLY = AgentReply("Hello")
FAILED = AgentFailure("the agent answered 500")
AWAY = AgentFailure("the agent cannot be reached", turned_away=True)
HUNG_UP = AgentFailure("the agent hung up", hung_up=True)
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
    return simulated(deliver(script(*outcomes), limit, seconds, Gate()))
