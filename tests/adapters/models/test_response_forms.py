"""In which form a reply of a schema is asked for, as a server that refuses some finds out."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from model_calls import MESSAGES, SCHEMA, STRUCTURED, completion, model_at, reply_of, three_replies
from starlette.responses import JSONResponse, Response

from stoic_assets.core.calls.chat import MalformedReply, ModelFailure, charged
from stoic_assets.core.errors import ConfigurationError, StoicError
from stoic_assets.core.judging.ask import sent_back

# The second is what llama-cpp-python's server says.
REFUSALS = [
    (400, "response_format is not supported"),
    (500, "1 validation error:\n  {'loc': ('body', 'response_format', 'type'), 'input': 'json_schema'}"),
]


def refusing(service: Any, types: tuple[str, ...], status: int, said: str) -> None:
    """The service answers, unless it is asked for a format of one of these types."""

    def answer(seen: Any) -> Response:
        if seen.body.get("response_format", {}).get("type") in types:
            return JSONResponse({"error": {"message": said}}, status)
        return JSONResponse(completion('{"score": 1}'))

    service.answers = [answer]


@pytest.mark.parametrize(("status", "said"), REFUSALS)
def test_a_server_that_knows_no_response_format_gets_the_schema_in_words(
    service: Any, caplog: pytest.LogCaptureFixture, status: int, said: str
) -> None:
    refusing(service, ("json_schema", "json_object"), status, said)
    with caplog.at_level(logging.WARNING):
        assert three_replies(service) == ['{"score": 1}'] * 3
    assert len(service.seen) == 5
    first, last = service.seen[3].body["messages"]
    assert first["content"].startswith("Judge.\n\n")
    assert first["content"].endswith(json.dumps(SCHEMA))
    assert last == MESSAGES[1]
    forms = ("json_schema", "json_object")
    assert caplog.messages == [f"model sage does not take {form}: asking without it" for form in forms]


NO_BOUNDS = "output_config.format.schema: For 'number' type, properties maximum, minimum are not supported"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"error": {"message": NO_BOUNDS, "param": None}}),
        (400, {"error": {"message": "Provider returned error", "metadata": {"raw": NO_BOUNDS}}}),
        (400, [{"error": {"code": 400, "message": "Request contains an invalid argument."}}]),
        (400, [{"error": {"message": "The schema produces a constraint that has too many states for serving."}}]),
        (400, {"error": {"message": "The provided JSON schema contains features not supported by xgrammar."}}),
        (400, {"error": {"message": 'Grammar error: Unimplemented keys: ["maxItems"]'}}),
        (400, {"error": {"code": 400, "message": "Failed to parse grammar"}}),
        (500, {"error": {"code": 500, "message": "JSON schema conversion failed:\nUnrecognized schema: {}"}}),
        (400, {"object": "error", "message": "Failed to compile json grammar"}),
        (400, {"error": {"message": "BedrockException - output_config: Extra inputs are not permitted"}}),
        (422, {"error": {"code": "unprocessable", "message": "structured outputs are not supported for this model"}}),
        (404, {"error": {"message": "No endpoints found that can handle the requested parameters.", "code": 404}}),
    ],
)
def test_a_form_that_is_refused_in_other_words_is_found_out_by_asking_for_the_next(
    service: Any, caplog: pytest.LogCaptureFixture, status: int, error: Any
) -> None:
    def answer(seen: Any) -> Response:
        refused = "response_format" in seen.body
        return JSONResponse(error if refused else completion(), status if refused else 200)

    service.answers = [answer]
    with caplog.at_level(logging.WARNING):
        assert three_replies(service) == ["Salve"] * 3
    assert [seen.body.get("response_format", {}).get("type") for seen in service.seen] == [
        "json_schema", "json_object", None, None, None,
    ]  # fmt: skip
    assert len(caplog.messages) == 2


NO_REASON = JSONResponse({"error": {"message": "Request contains an invalid argument."}}, 400)
SALVE = JSONResponse(completion())


def failing_first(service: Any, kind: type[StoicError], said: str) -> str:
    """The form of the second of two requests, of which the first fails."""

    async def main() -> None:
        model = model_at(service.url)
        with pytest.raises(kind, match=said):
            await model.complete(STRUCTURED)
        await model.complete(STRUCTURED)

    asyncio.run(main())
    return str(service.seen[-1].body["response_format"]["type"])


@pytest.mark.parametrize(
    ("first", "kind", "said"),
    [
        (NO_REASON, ModelFailure, "invalid argument"),
        (JSONResponse({"error": {"message": "No endpoints found"}}, 404), ConfigurationError, "No endpoints found"),
    ],
)
@pytest.mark.parametrize("then", [JSONResponse({"error": "nor that"}, 400), JSONResponse({"error": "no"}, 404)])
def test_a_request_that_is_refused_in_every_form_fails_for_its_first_reason_and_costs_no_form(
    service: Any, first: Response, then: Response, kind: type[StoicError], said: str
) -> None:
    service.answers = [first, then, then, SALVE]
    assert failing_first(service, kind, said) == "json_schema"
    assert len(service.seen) == 4


@pytest.mark.parametrize("status", [404, 400])
def test_a_model_that_is_said_to_be_unknown_is_asked_for_no_other_form(service: Any, status: int) -> None:
    service.answers = [JSONResponse({"error": {"message": "The model `sage` does not exist"}}, status), SALVE]
    assert failing_first(service, ConfigurationError, "does not know model 'sage'") == "json_schema"
    assert len(service.seen) == 2


@pytest.mark.parametrize(
    "said",
    [
        "Input blocked by policy", "The response was filtered due to the prompt triggering content management policy.",
        "This model's maximum context length is 4096 tokens", "prompt is too long: 210000 tokens", "It was flagged.",
    ],
)  # fmt: skip
def test_messages_that_are_refused_are_not_asked_in_another_form(service: Any, said: str) -> None:
    service.answers = [JSONResponse({"error": {"message": said}}, 400), SALVE]
    assert failing_first(service, ModelFailure, said) == "json_schema"
    assert len(service.seen) == 2


def test_a_form_in_which_a_model_has_answered_is_not_doubted_again(service: Any) -> None:
    async def main() -> None:
        model = model_at(service.url)
        await model.complete(STRUCTURED)
        with pytest.raises(ModelFailure, match="invalid argument"):
            await model.complete(STRUCTURED)
        larger = {**SCHEMA, "properties": {"score": {"type": "string"}}}
        assert (await model.complete(replace(STRUCTURED, schema=larger))).text == "Salve"

    service.answers = [SALVE, NO_REASON, NO_REASON, SALVE]
    asyncio.run(main())
    forms = [seen.body["response_format"]["type"] for seen in service.seen]
    assert forms == ["json_schema", "json_schema", "json_schema", "json_object"]


def test_a_next_form_that_meets_a_busy_server_or_an_answer_of_its_own_ends_with_that(service: Any) -> None:
    busy = JSONResponse({"error": "busy"}, 429)
    service.answers = [NO_REASON, busy, NO_REASON, SALVE]
    assert reply_of(service, STRUCTURED).text == "Salve"
    kept = {"error": {"message": "not JSON", "code": "json_validate_failed", "failed_generation": "Well."}}
    service.answers = [NO_REASON, JSONResponse(kept, 400)]
    with pytest.raises(MalformedReply, match="not JSON"):
        reply_of(service, STRUCTURED)
    refusal = {**completion(), "usage": {"prompt_tokens": 1000, "completion_tokens": 200}}
    refusal["choices"] = [{"message": {"content": None, "refusal": "I will not."}}]
    service.answers = [NO_REASON, JSONResponse(refusal)]
    with pytest.raises(ModelFailure, match="I will not") as caught:
        reply_of(service, STRUCTURED)
    assert charged(caught.value).prompt_tokens == 1000


def test_bounds_that_some_servers_refuse_are_sent_in_words_alone(service: Any) -> None:
    share = {"type": "number", "minimum": 0, "maximum": 1}
    texts = {"type": "array", "items": share, "maxItems": 5}
    schema = {"type": "object", "properties": {"minimum": share, "quotes": texts}, "required": ["minimum", "quotes"]}
    bare = {"minimum": {"type": "number"}, "quotes": {"type": "array", "items": {"type": "number"}}}
    refusing(service, ("json_schema",), *REFUSALS[0])
    reply_of(service, replace(STRUCTURED, schema=schema))
    strict, older = (seen.body["response_format"] for seen in service.seen)
    assert strict["json_schema"]["schema"] == older["schema"] == {**schema, "properties": bare}
    assert json.dumps(schema) in service.seen[1].body["messages"][0]["content"]


def test_a_refusal_may_name_a_part_of_the_response_format(service: Any) -> None:
    error = {"message": "Invalid type", "param": "response_format.json_schema.schema"}
    service.answers = [JSONResponse({"error": error}, 400), JSONResponse(completion())]
    assert reply_of(service, STRUCTURED).text == "Salve"


@pytest.mark.parametrize(("status", "said"), REFUSALS)
def test_a_server_that_knows_the_older_form_gets_that_and_words(service: Any, status: int, said: str) -> None:
    refusing(service, ("json_schema",), status, said)
    assert three_replies(service)[0] == '{"score": 1}'
    assert len(service.seen) == 4
    assert service.seen[1].body["response_format"] == {"type": "json_object", "schema": SCHEMA}
    assert service.seen[1].body["messages"][0]["content"].endswith(json.dumps(SCHEMA))


def test_a_repair_that_has_the_schema_in_words_gets_it_once(service: Any) -> None:
    refusing(service, ("json_schema",), *REFUSALS[0])
    repaired = sent_back(STRUCTURED, "Well.", "not JSON")

    async def main() -> None:
        model = model_at(service.url)
        for request in (STRUCTURED, repaired, sent_back(repaired, "Well.", "not JSON")):
            await model.complete(request)

    asyncio.run(main())
    named = [[json.dumps(SCHEMA) in each["content"] for each in seen.body["messages"]] for seen in service.seen[1:]]
    assert named == [[True, False], [False, False, False, True], [False, False, False, True, False, False]]


def test_requests_that_are_refused_side_by_side_lose_no_more_than_what_was_refused(service: Any) -> None:
    refusing(service, ("json_schema",), *REFUSALS[0])

    async def main() -> None:
        model = model_at(service.url)
        await asyncio.gather(*[model.complete(STRUCTURED) for _ in range(5)])

    asyncio.run(main())
    assert {seen.body["response_format"]["type"] for seen in service.seen} == {"json_schema", "json_object"}
