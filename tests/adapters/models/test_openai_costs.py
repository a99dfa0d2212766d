"""What a call cost is known, whatever became of it, or known to be unknown."""

import asyncio
from typing import Any

import pytest
from model_calls import FAST, KEY, MESSAGES, PLAIN, UNREADABLE, completion, model_at, reply_of
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, ModelFailure, charged, was_sent
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.configuration.settings import Price
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable, StoicError


def test_a_call_without_a_connection_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """For want of certificates, or of file descriptors."""

    def open_(model: OpenAiModel) -> None:
        raise OSError("too many open files")

    monkeypatch.setattr(OpenAiModel, "_open", open_)
    model = OpenAiModel(ModelServer("http://127.0.0.1:9", KEY), Limits(judge=FAST), {})
    with pytest.raises(OSError, match="too many open files") as caught:
        asyncio.run(model.complete(PLAIN))
    assert not was_sent(caught.value)


def test_without_a_price_the_cost_is_unknown(service: Any) -> None:
    service.replies({**completion(), "usage": None})
    reply = reply_of(service, ChatRequest("judge", "other", MESSAGES, 0.0))
    assert (reply.cost_usd, reply.prompt_tokens) == (None, None)


@pytest.mark.parametrize("usage", [{"input_tokens": 1000}, {"prompt_tokens": 1000}, {"completion_tokens": 200}])
@pytest.mark.parametrize(("price", "cost"), [(Price(input=2, output=8), None), (Price(input=0, output=0), 0.0)])
def test_without_tokens_the_cost_is_unknown_unless_all_is_free(
    service: Any, price: Price, cost: float | None, usage: dict[str, int]
) -> None:
    service.replies({**completion(), "usage": usage})
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(judge=FAST), {"sage": price})
    assert asyncio.run(model.complete(PLAIN)).cost_usd == cost


def test_what_was_paid_for_a_refusal_is_known(service: Any) -> None:
    service.replies(completion(None, refusal="No."))
    with pytest.raises(ModelFailure, match="refuses: No") as caught:
        reply_of(service)
    assert (charged(caught.value).prompt_tokens, charged(caught.value).completion_tokens) == (1000, 200)
    assert charged(caught.value).cost_usd == pytest.approx(0.0036)


def test_every_answer_that_held_no_reply_is_paid_as_well(service: Any) -> None:
    service.answers = [JSONResponse(UNREADABLE), JSONResponse({}, 500), JSONResponse(completion())]
    reply = reply_of(service)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Salve", 2000, 400)
    assert reply.cost_usd == pytest.approx(0.0072)


@pytest.mark.parametrize("last", [JSONResponse(UNREADABLE), JSONResponse({"usage": "none"}), JSONResponse({}, 400)])
def test_what_a_failure_cost_in_all_is_known(service: Any, last: Response) -> None:
    service.answers = [JSONResponse(UNREADABLE), JSONResponse(UNREADABLE), last]
    with pytest.raises(ModelFailure) as caught:
        reply_of(service)
    answers = 3 if last.status_code == 200 and b"choices" in last.body else 2
    assert charged(caught.value).prompt_tokens == answers * 1000
    assert charged(caught.value).cost_usd == pytest.approx(answers * 0.0036)


@pytest.mark.parametrize(("last", "end"), [(503, ServiceUnreachable), (401, ConfigurationError)])
def test_what_a_call_cost_is_known_though_the_run_ends(service: Any, last: int, end: type[StoicError]) -> None:
    service.answers = [JSONResponse(UNREADABLE), JSONResponse(UNREADABLE), *[JSONResponse({}, last)] * 4]
    with pytest.raises(end) as caught:
        reply_of(service)
    assert charged(caught.value).cost_usd == pytest.approx(0.0072)


def test_what_a_call_cost_is_known_though_it_is_cut_off(service: Any) -> None:
    service.answers = [JSONResponse(UNREADABLE), JSONResponse({}, 500, {"retry-after": "60"})]
    patient = ModelLimit(attempts=3, backoff_seconds=0.001, longest_wait_seconds=60)

    async def cut_off() -> None:
        call = asyncio.create_task(model_at(service.url, judge=patient).complete(PLAIN))
        while len(service.seen) < 2:
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await call
        assert charged(caught.value).cost_usd == pytest.approx(0.0036)
        assert was_sent(caught.value)

    asyncio.run(cut_off())


def test_a_call_that_is_cut_off_while_it_waits_for_its_turn_was_not_sent(service: Any) -> None:
    service.answers = [lambda _: asyncio.sleep(0.5, JSONResponse({}))]

    async def sent_of(call: "asyncio.Task[ChatReply]") -> bool:
        call.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await call
        return was_sent(caught.value)

    async def cut_off() -> list[bool]:
        model = model_at(service.url, judge=ModelLimit(in_flight=1))
        calls = [asyncio.create_task(model.complete(PLAIN)) for _ in range(3)]
        while not service.seen:
            await asyncio.sleep(0.01)
        return [await sent_of(call) for call in reversed(calls)]

    assert asyncio.run(cut_off()) == [False, False, True]


def test_a_reply_without_usage_is_of_unknown_cost_whatever_came_before_it(service: Any) -> None:
    service.answers = [JSONResponse(UNREADABLE), JSONResponse({**completion(), "usage": None})]
    reply = reply_of(service)
    assert (reply.cost_usd, reply.cost_partial) == (pytest.approx(0.0036), True)


def test_the_greeting_that_shows_whose_fault_it_was_is_paid(service: Any) -> None:
    service.answers = [JSONResponse({"error": {"message": "flagged"}}, 403), JSONResponse(completion())]
    with pytest.raises(ModelFailure, match="flagged") as caught:
        reply_of(service)
    assert (charged(caught.value).prompt_tokens, charged(caught.value).cost_usd) == (1000, pytest.approx(0.0036))
