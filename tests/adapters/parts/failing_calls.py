"""Calls of a model server that fails, and of one that turns some messages away."""

import asyncio
from typing import Any

import pytest
from model_calls import KEY, completion
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit

FAST = ModelLimit(attempts=3, backoff_seconds=0.001, longest_wait_seconds=0.01, timeout_seconds=5.0)
REQUEST = ChatRequest("judge", "sage", ({"role": "user", "content": "Judge."},), 0.0)


def text_from(url: str, limit: ModelLimit = FAST) -> str:
    return asyncio.run(OpenAiModel(ModelServer(url, KEY), Limits(judge=limit), {}).complete(REQUEST)).text


def refusal(service: Any, kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        text_from(service.url)
    assert KEY not in str(caught.value)
    return str(caught.value)


def turning_away(service: Any, words: tuple[str, ...], status: int, said: str = "not you") -> None:
    """The service answers, unless it is asked with one of these words."""

    def answer(seen: Any) -> Response:
        away = seen.body["messages"][0]["content"] in words
        return JSONResponse({"error": {"message": said}}, status) if away else JSONResponse(completion())

    service.answers = [answer]
