"""When a server did not read all of a request, and when a low count of its tokens means nothing."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from stoic_assets.adapters.models.context_truncation import ContextTruncation
from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.configuration.settings import Price

FAST = ModelLimit(attempts=3, backoff_seconds=0.001)
ENGLISH = "| Begin the morning by saying to thyself, I shall meet with the busy-body, the ungrateful, arrogant. "
CHINESE = "清晨起床的时候要对自己说:我今天会遇到多管闲事的人,忘恩负义的人,傲慢的人,欺诈的人,嫉妒的人。"
TOKENS_OF_ENGLISH = 24


def asking(text: str) -> ChatRequest:
    messages = ({"role": "system", "content": "Judge."}, {"role": "user", "content": text})
    return ChatRequest("judge", "sage", messages, 0.0)


def reply_of(service: Any, request: ChatRequest, usage: dict[str, Any] | None) -> ChatReply:
    service.replies({"choices": [{"message": {"content": "Salve"}, "finish_reason": "stop"}], "usage": usage})
    limits, prices = Limits(judge=FAST, evaluator=FAST), {"sage": Price(input=1000, output=1000)}
    return asyncio.run(OpenAiModel(ModelServer(service.url, None), limits, prices).complete(request))


@pytest.mark.parametrize("role", ["judge", "evaluator"])
@pytest.mark.parametrize(
    ("text", "read"),
    [
        (ENGLISH * 450, 2050),
        (ENGLISH * 171, 2050),  # as soon as Ollama cuts a request, it reads half of its context
        (ENGLISH * 400, 4098),
        (ENGLISH * 86, 1026),
        (CHINESE * 1000, 2050),
        (ENGLISH * 200 + "=" * 8000, 2050),
    ],
)
def test_of_a_request_that_was_cut_there_is_a_warning(
    service: Any, caplog: pytest.LogCaptureFixture, text: str, read: int, role: Any
) -> None:
    request = replace(asking(text), role=role)
    assert reply_of(service, request, {"prompt_tokens": read, "completion_tokens": 50}).text == "Salve"
    assert f"{service.url} read only {read:,} tokens of {request.characters:,} characters for model sage" in caplog.text


def test_each_model_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    cut = ContextTruncation(ModelServer("http://localhost:1/v1", None))
    for model in ("sage", "sage", "seneca"):
        cut.notice(replace(asking(ENGLISH * 450), model=model), 2050)
    assert [model for model in ("sage", "seneca") for _ in range(caplog.text.count(f"for model {model}"))] == [
        "sage", "seneca",
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (ENGLISH * 450, 450 * TOKENS_OF_ENGLISH),
        (ENGLISH * 450, 450 * TOKENS_OF_ENGLISH * 3 // 4),  # a vocabulary of whole phrases
        (CHINESE * 1000, 30_000),
        ("x" * 50_000, 700),
        (" " * 50_000, 700),
        ("=-" * 25_000, 700),
        ("responsibilities\n" * 3000, 3010),
        (ENGLISH * 70, 600),  # short
        (ENGLISH * 450, 400),  # only what was not cached
        (ENGLISH * 450, 1),
        (ENGLISH * 450, 0),
        (ENGLISH * 450, -1),
    ],
)
def test_of_a_request_that_may_have_been_read_there_is_none(
    service: Any, caplog: pytest.LogCaptureFixture, text: str, read: int
) -> None:
    assert reply_of(service, asking(text), {"prompt_tokens": read, "completion_tokens": 50}).text == "Salve"
    assert caplog.text == ""


@pytest.mark.parametrize(
    "cached",
    [
        {"cache_read_input_tokens": 9000, "total_tokens": 10_850},
        {"cache_creation_input_tokens": 9000},
        {"prompt_tokens_details": {"cached_tokens": 9000}},
    ],
)
def test_what_was_in_a_cache_was_read_too(
    service: Any, caplog: pytest.LogCaptureFixture, cached: dict[str, Any]
) -> None:
    reply_of(service, asking(ENGLISH * 450), {"prompt_tokens": 1800, "completion_tokens": 50, **cached})
    assert caplog.text == ""


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "2050"}, {"completion_tokens": 50}])
def test_where_tokens_are_not_told_nothing_is_known(
    service: Any, caplog: pytest.LogCaptureFixture, usage: Any
) -> None:
    reply_of(service, asking(ENGLISH * 450), usage)
    assert caplog.text == ""
