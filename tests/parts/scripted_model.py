"""A chat model that answers what a test says, in place of the adapters of the port `ChatModel`."""

import asyncio
from collections.abc import Callable

from stoic_assets.core.calls.chat import ChatReply, ChatRequest

Answer = str | ChatReply | BaseException
"""A text, a whole reply, or an error to raise."""


class ScriptedModel:
    """Gives answers in turn, or each by a function of its request, and remembers the requests."""

    def __init__(self, *answers: Answer, by: Callable[[ChatRequest], Answer] | None = None) -> None:
        self.requests = list[ChatRequest]()
        self._answers, self._by = list(answers), by

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        await asyncio.sleep(0)  # as at a server, others may ask meanwhile
        answer = self._by(request) if self._by else self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, ChatReply) else ChatReply(answer)
