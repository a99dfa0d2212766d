"""The stand-in for models in every role: deterministic, no key, no network, no cost, and its replies mean nothing."""

from collections.abc import Iterable

from stoic_assets.core.calls.chat import ChatReply, ChatRequest

OFFLINE = "offline"
"""Its name as a model."""


class StandIn:
    """Plays simulated user and judge from `request.brief` alone."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The scripted message or the word counter's verdict."""
        from stoic_assets.core.conversation.scripted import scripted_message
        from stoic_assets.core.judging.lexical import lexical_reply

        text = lexical_reply(request) if request.role == "judge" else scripted_message(request)
        return ChatReply(text, cost_usd=0.0)


def judged_by_stand_in(judges: Iterable[str]) -> bool:
    """Whether the stand-in is among the judges, or in a panel of them: names that are joined by commas."""
    return any(OFFLINE in judge.split(",") for judge in judges)
