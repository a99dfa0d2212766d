"""Requests to a model server on loopback, and its answers."""

import asyncio
from typing import Any

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.configuration.settings import Price

KEY = "sk-meditations-12345678"
FAST = ModelLimit(attempts=3, backoff_seconds=0.001, longest_wait_seconds=0.3, timeout_seconds=5.0)
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
MESSAGES = ({"role": "system", "content": "Judge."}, {"role": "user", "content": "<transcript>"})
PLAIN = ChatRequest("judge", "sage", MESSAGES, 0.0)
STRUCTURED = ChatRequest("judge", "sage", MESSAGES, 0.0, SCHEMA, "verdict", brief={"never": "sent"})
UNREADABLE = {"choices": [{}], "usage": {"prompt_tokens": 1000, "completion_tokens": 200}}


def completion(content: Any = "Salve", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, **message}}
    usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "sage", "choices": [choice], "usage": usage}


def model_at(url: str, key: str | None = KEY, **limits: ModelLimit) -> OpenAiModel:
    each = Limits(**{"judge": FAST, "evaluator": FAST} | limits)
    return OpenAiModel(ModelServer(url, key), each, {"sage": Price(input=2, output=8)})


def reply_of(service: Any, request: ChatRequest = PLAIN) -> ChatReply:
    return asyncio.run(model_at(service.url + "/v1").complete(request))


def three_replies(service: Any) -> list[str]:
    """Two to a structured request and one to a plain one, by one adapter."""

    async def main() -> list[str]:
        model = model_at(service.url)
        return [(await model.complete(request)).text for request in (STRUCTURED, STRUCTURED, PLAIN)]

    return asyncio.run(main())
