"""A judge that numbers its replies, behind a cache."""

import asyncio
from pathlib import Path

from stoic_assets.adapters.models.judge_cache import CachedModel
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, ModelFailure
from stoic_assets.core.configuration.settings import Judging

MESSAGES = ({"role": "user", "content": "fence 17"},)
REQUEST = ChatRequest("judge", "sage", MESSAGES, 0.0, {"type": "object"}, cacheable_as="q")


class CountingModel:
    """Numbers its replies; `fails` of them fail first."""

    def __init__(self, fails: int = 0) -> None:
        self.calls, self.fails = 0, fails

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        number = self.calls
        await asyncio.sleep(0)
        if number <= self.fails:
            raise ModelFailure("down")
        return ChatReply(f"reply {number} ✓", 10, 5, 0.25, 12.0)


def cached_model(model: CountingModel, folder: Path, fresh: bool = False) -> CachedModel:
    return CachedModel(Ledger(model, folder.parent / f"{folder.name}.jsonl", {}), folder, Judging(), fresh)
