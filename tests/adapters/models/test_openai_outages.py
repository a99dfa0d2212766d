"""A model server that serves nobody for a moment: a fifth of the usual waits, and so of the usual outages."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, ModelFailure
from stoic_assets.core.calls.queueing import working_time
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.errors import ServiceUnreachable

QUICK = ModelLimit(backoff_seconds=0.02)
REQUEST = ChatRequest("judge", "sage", ({"role": "user", "content": "Judge."},), 0.0)
GREETING = "Hello"
AWAY = JSONResponse({"error": {"message": "Loading model"}}, 503)
CHOICE = {"finish_reason": "stop", "message": {"role": "assistant", "content": "Salve"}}
REPLY = JSONResponse({"choices": [CHOICE], "usage": {"prompt_tokens": 10, "completion_tokens": 2}})


def model_at(service: Any) -> OpenAiModel:
    return OpenAiModel(ModelServer(service.url, None), Limits(judge=QUICK), {})


def asked(service: Any, content: str) -> int:
    """How often this was asked."""
    return sum(seen.body["messages"][0]["content"] == content for seen in service.seen)


def away_for(seconds: float) -> Callable[[Any], Response]:
    """Turns everybody away for so long, from the first request on."""
    began: list[float] = []

    def answer(_: Any) -> Response:
        began.append(time.monotonic())
        return AWAY if began[-1] - began[0] < seconds else REPLY

    return answer


@pytest.mark.parametrize("seconds", [0.24, 0.4, 0.8])
def test_an_outage_that_is_longer_than_the_attempts_costs_no_call(service: Any, seconds: float) -> None:
    async def side_by_side() -> list[ChatReply]:
        model = model_at(service)
        return await asyncio.gather(*[model.complete(REQUEST) for _ in range(32)])

    service.answers = [away_for(seconds)]
    assert [reply.text for reply in asyncio.run(side_by_side())] == ["Salve"] * 32


def test_what_the_greeting_cost_is_billed_with_the_reply_after_it(service: Any) -> None:
    service.answers = [*[AWAY] * 5, REPLY]
    reply = asyncio.run(model_at(service).complete(REQUEST))
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Salve", 20, 4)
    assert (asked(service, "Judge."), asked(service, GREETING)) == (5, 2)


def test_a_server_that_is_gone_for_good_ends_the_run_once_for_all_calls(service: Any) -> None:
    async def side_by_side() -> list[Any]:
        model = model_at(service)
        return await asyncio.gather(*[model.complete(REQUEST) for _ in range(8)], return_exceptions=True)

    service.answers = [AWAY]
    start = time.monotonic()
    ends = asyncio.run(side_by_side())
    assert {type(end) for end in ends} == {ServiceUnreachable}
    assert 1.5 <= time.monotonic() - start < 8, "not one after the other"
    assert (asked(service, "Judge."), asked(service, GREETING)) == (8 * 4, 8 * 4)


def test_a_request_that_alone_is_turned_away_is_made_twice_as_often_and_no_more(service: Any) -> None:
    service.answers = [lambda seen: AWAY if seen.body["messages"][0]["content"] == "Judge." else REPLY]
    with pytest.raises(ModelFailure, match="Loading model"):
        asyncio.run(model_at(service).complete(REQUEST))
    assert (asked(service, "Judge."), asked(service, GREETING)) == (2 * 4, 2)


def test_waiting_for_the_server_takes_no_trials_time(service: Any) -> None:
    async def trial() -> float:
        model = model_at(service)
        await model.complete(REQUEST)  # connects
        start = time.monotonic()
        async with working_time(0.9):
            assert (await model.complete(REQUEST)).text == "Salve"
        return time.monotonic() - start

    service.answers = [REPLY, away_for(1.2)]
    assert asyncio.run(trial()) > 0.9


def test_the_wait_for_a_server_can_be_cut_off(service: Any) -> None:
    service.answers = [AWAY]
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(model_at(service).complete(REQUEST), 0.4))
