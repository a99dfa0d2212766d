"""The deterministic offline model for every role: no key, no network, no cost, and its replies mean nothing."""

from collections.abc import Iterable, Mapping
from typing import Any

from stoic_assets.core.calls.chat import ChatReply, ChatRequest

OFFLINE = "offline"
"""Its name as a model."""


class OfflineModel:
    """Plays simulated user and judge from `request.brief` alone."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The scripted message or the word counter's verdict."""
        from stoic_assets.core.conversation.scripted import scripted_message
        from stoic_assets.core.judging.lexical import lexical_reply

        text = lexical_reply(request) if request.role == "judge" else scripted_message(request)
        return ChatReply(text, cost_usd=0.0)


def judged_offline(verdicts: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the offline model gave one of the verdicts, which are rows with a `judge_model`."""
    return any(verdict["judge_model"] == OFFLINE for verdict in verdicts)
