"""Calls whose outcomes and prices are given."""

from typing import Any

from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.configuration.settings import Price

PRICES = {"sage": Price(input=1, output=1)}
REQUEST = ChatRequest("judge", "sage", ({"role": "user", "content": "secret talk"},), 0.0)


def paid(cost: float | None = 0.25, **given: Any) -> ChatReply:
    return ChatReply("Salve", 10, 5, cost, 12.5, **given)
