"""Calls whose outcomes and prices are given."""

import asyncio
from typing import Any

from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.configuration.settings import Price

PRICES = {"sage": Price(input=1, output=1)}
REQUEST = ChatRequest("judge", "sage", ({"role": "user", "content": "secret talk"},), 0.0)


class ScriptedModel:
    def __init__(self, *outcomes: ChatReply | BaseException) -> None:
        self.outcomes, self.calls = list(outcomes), 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        await asyncio.sleep(0)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def paid(cost: float | None = 0.25, **given: Any) -> ChatReply:
    return ChatReply("Salve", 10, 5, cost, 12.5, **given)
