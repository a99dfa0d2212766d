"""What models accept of a request, as a server that refuses parts of it finds out."""

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest
from model_calls import FAST, MESSAGES, PLAIN, STRUCTURED, completion, model_at, reply_of, three_replies
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ModelFailure
from stoic_assets.core.configuration.endpoint_limits import Limits


def test_options_go_into_the_requests_of_their_role_and_model_alone(service: Any) -> None:
    service.replies(completion())
    options = {"sage": {"reasoning_effort": "high", "seed": 7}, "other": {"top_p": 0.5}}
    model = OpenAiModel(ModelServer(service.url), Limits(judge=FAST, evaluator=FAST), {}, {"judge": options})
    asked = [PLAIN, replace(PLAIN, role="evaluator"), replace(PLAIN, model="other")]
    for request in asked:
        asyncio.run(model.complete(request))
    own = {"messages", "model", "temperature", "stream"}
    sent = [{name: value for name, value in seen.body.items() if name not in own} for seen in service.seen]
    assert sent == [options["sage"], {}, options["other"]]


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Unsupported value: 'temperature' does not support 0 with this model.", "param": "temperature"},
        {"message": "No such thing", "param": "temperature"},
        {"message": "Unsupported parameter: 'temperature' is not supported with this model."},
        {"message": "litellm: gpt-5 models don't support temperature=0.0. Only temperature=1 is supported."},
        {"message": "`temperature` is deprecated for this model."},
        {"message": "`temperature` and `top_p` cannot both be specified for this model"},
        {"message": "invalid temperature: only 1 is allowed for this model"},
        {"message": "`temperature` may only be set to 1 when thinking is enabled."},
        {"message": "Invalid value at 'generation_config.temperature'"},
        {"message": "Unrecognized request argument supplied: temperature"},
        {"message": "Input validation error: `temperature` must be strictly positive"},
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
    ],
)
def test_a_model_that_takes_no_temperature_is_asked_without(service: Any, error: Any) -> None:
    def answer(seen: Any) -> Response:
        refused = JSONResponse({"error": error}, 400)
        return refused if "temperature" in seen.body else JSONResponse(completion())

    service.answers = [answer]
    assert reply_of(service, STRUCTURED).text == "Salve"
    assert "response_format" in service.seen[1].body


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Input blocked by policy", "prompt": "Invalid temperature, response_format?"},
        {"message": "Invalid prompt: it was blocked. The prompt was: What is the temperature in Rome?"},
    ],
)
def test_a_conversation_about_the_temperature_that_an_error_quotes_costs_no_option(service: Any, error: Any) -> None:
    async def main() -> str:
        model = model_at(service.url)
        with pytest.raises(ModelFailure, match="blocked"):
            await model.complete(PLAIN)
        return (await model.complete(PLAIN)).text

    service.answers = [JSONResponse({"error": error}, 400), JSONResponse(completion())]
    assert asyncio.run(main()) == "Salve"
    assert "temperature" in service.seen[1].body


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (422, {"error": "Template error: Conversation roles must alternate user/assistant", "error_type": "template"}),
        (400, [{"error": {"message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}]),
        (400, "System role not supported"),
        (400, {"message": "Unsupported value: 'messages[0].role' does not support 'system' with this model."}),
        (400, {"message": "This model doesn't support system messages. Try again without a system message"}),
        (500, "Conversation roles must alternate user/assistant/user/assistant/... at row 19, column 27"),
        (422, "Template error: Only user and assistant roles are supported!"),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
    ],
)
def test_a_model_that_takes_no_system_message_hears_it_from_the_user(
    service: Any, caplog: pytest.LogCaptureFixture, status: int, said: Any
) -> None:
    refused = {"error": {"message": said}} if isinstance(said, str) else said

    def answer(seen: Any) -> Response:
        roles = [message["role"] for message in seen.body["messages"]]
        alternate = roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        return JSONResponse(completion() if alternate else refused, 200 if alternate else status)

    service.answers = [answer]
    with caplog.at_level(logging.WARNING):
        assert three_replies(service) == ["Salve"] * 3
    assert len(service.seen) == 4
    told, agreed, asked = service.seen[1].body["messages"]
    assert (told["content"], agreed["role"], asked) == ("Judge.", "assistant", MESSAGES[1])
    assert "response_format" in service.seen[1].body
    assert caplog.messages == ["model sage does not take a system message: asking without it"]


def test_a_model_that_finds_fault_with_all_roles_is_not_asked_for_ever(service: Any) -> None:
    service.replies({"error": {"message": "Conversation roles must alternate"}}, status=400)
    with pytest.raises(ModelFailure, match="must alternate"):
        reply_of(service)
    assert len(service.seen) == 2


def test_an_option_that_was_not_sent_cannot_be_left_out(service: Any) -> None:
    service.replies({"error": {"message": "no response_format here"}}, status=400)
    with pytest.raises(ModelFailure, match="no response_format here"):
        reply_of(service)
    assert len(service.seen) == 1
