"""Options of the settings that a model refuses are named, and no message is blamed for them."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from model_calls import FAST, KEY, PLAIN, completion
from starlette.responses import JSONResponse

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ModelFailure
from stoic_assets.core.configuration.endpoint_limits import Limits
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize("param", ["reasoning_effort", None])
def test_an_option_that_is_refused_ends_the_run_and_is_named(service: Any, param: str | None) -> None:
    error = {"message": "Unsupported value: 'reasoning_effort' does not support 'huge'", "param": param}
    service.replies({"error": error}, status=400)
    options = {"sage": {"reasoning_effort": "huge"}}
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(judge=FAST), {}, {"judge": options})
    with pytest.raises(ConfigurationError, match=r"'huge'; correct judging\.model_options\.sage\.reasoning_effort in"):
        asyncio.run(model.complete(PLAIN))
    assert [len(seen.body["messages"]) for seen in service.seen] == [2, 1], "a greeting shows it"


NO_FIELD = [{"type": "extra_forbidden", "loc": ["body", "effort"], "msg": "Extra inputs are not permitted"}]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, [{"error": {"code": 400, "message": 'Unknown name "effort": Cannot find field.'}}]),
        (422, {"object": "error", "message": {"detail": NO_FIELD}, "param": None}),
        (422, {"detail": NO_FIELD}),
    ],
)
def test_an_option_that_is_refused_is_named_in_whatever_form_the_refusal_comes(
    service: Any, status: int, body: Any
) -> None:
    service.replies(body, status=status)
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(judge=FAST), {}, {"judge": {"sage": {"effort": 1}}})
    with pytest.raises(ConfigurationError, match=r"effort.*; correct judging\.model_options\.sage\.effort in"):
        asyncio.run(model.complete(PLAIN))


def test_an_option_of_the_user_that_is_refused_is_named_with_its_own_setting(service: Any) -> None:
    service.replies({"error": {"message": "unknown field", "param": "effort"}}, status=422)
    options = {"sage": {"effort": 1}}
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(evaluator=FAST), {}, {"evaluator": options})
    with pytest.raises(ConfigurationError, match=r"correct conversations\.model_options\.sage\.effort in stoic\.yml"):
        asyncio.run(model.complete(replace(PLAIN, role="evaluator")))


@pytest.mark.parametrize(
    "said",
    ["max_tokens is too large: 8000 with your 9100 input tokens", "the grocery store was flagged", "stop and store"],
)
def test_a_refusal_that_names_an_option_and_is_about_one_message_costs_that_message_alone(
    service: Any, said: str
) -> None:
    error = {"error": {"message": said}}
    service.answers = [JSONResponse(error, 400), JSONResponse(completion()), JSONResponse(completion())]
    options = {"sage": {"max_tokens": 8000, "store": True}}
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(judge=FAST), {}, {"judge": options})
    with pytest.raises(ModelFailure, match=said):
        asyncio.run(model.complete(PLAIN))
    assert asyncio.run(model.complete(PLAIN)).text == "Salve"


@pytest.mark.parametrize("said", ["the users message was flagged", "Unsupported parameter: user_id"])
def test_a_word_that_an_option_is_part_of_is_no_refusal_of_it(service: Any, said: str) -> None:
    service.replies({"error": {"message": said}}, status=400)
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(judge=FAST), {}, {"judge": {"sage": {"user": "me"}}})
    with pytest.raises(ModelFailure, match=said):
        asyncio.run(model.complete(PLAIN))
    assert len(service.seen) == 1
