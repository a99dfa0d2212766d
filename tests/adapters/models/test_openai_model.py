"""What is asked of a real HTTP server, and the replies that come of its answers."""

import asyncio
import gzip
import json
import zlib
from typing import Any

import pytest
from model_calls import KEY, MESSAGES, PLAIN, SCHEMA, STRUCTURED, completion, model_at, reply_of
from starlette.responses import JSONResponse, Response

from stoic_assets.core.calls.chat import MalformedReply, ModelFailure


def test_a_reply_with_its_tokens_and_cost(service: Any) -> None:
    service.replies(completion())
    reply = reply_of(service)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens, reply.cached) == ("Salve", 1000, 200, False)
    assert reply.cost_usd == pytest.approx(0.0036)
    assert 0 < reply.latency_ms < 5000


@pytest.mark.parametrize(
    ("said", "known"),
    [("cheap/fallback-2", "cheap/fallback-2"), (f"of {KEY}", "of [redacted]"), ("", None), (None, None), (7, None)],
)
def test_a_reply_names_the_model_that_answered(service: Any, said: Any, known: str | None) -> None:
    service.replies({**completion(), "model": said})
    assert reply_of(service).served_model == known


@pytest.mark.parametrize(
    ("reason", "complaint"),
    [("stop", ""), ("STOP", ""), ("length", " (finish_reason length)"), (None, ""), ({"a": 1}, "")],
)
def test_an_empty_reply_says_why_it_ended(service: Any, reason: Any, complaint: str) -> None:
    cut = completion("")
    cut["choices"][0]["finish_reason"] = reason
    service.replies(cut)
    reply = reply_of(service)
    assert (reply.text, reply.cut_off) == ("", complaint)


def test_the_request_is_what_the_package_itself_would_send(service: Any) -> None:
    async def by_us() -> None:
        model = model_at(service.url + "/v1")
        await model.complete(PLAIN)  # what is made up for the first request serves the second
        await model.complete(STRUCTURED)

    async def by_the_package() -> None:
        from openai import AsyncOpenAI, DefaultAioHttpClient

        async with AsyncOpenAI(base_url=service.url + "/v1", api_key=KEY, http_client=DefaultAioHttpClient()) as client:
            await client.chat.completions.create(  # type: ignore[call-overload]
                model="sage", messages=list(MESSAGES), stream=False, temperature=0.0,
                response_format={
                    "type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True}
                },
            )

    service.replies(completion())
    asyncio.run(by_us())
    asyncio.run(by_the_package())
    _, ours, theirs = service.seen
    assert (ours.method, ours.path, ours.body) == (theirs.method, theirs.path, theirs.body)
    changing = {"x-stainless-read-timeout", "accept-encoding", "connection"}
    assert {k: v for k, v in ours.headers.items() if k not in changing} == {
        k: v for k, v in theirs.headers.items() if k not in changing
    }
    assert ours.headers["authorization"] == f"Bearer {KEY}"


def test_an_address_keeps_its_query_which_no_error_shows(service: Any) -> None:
    service.answers = [JSONResponse(completion()), JSONResponse({"error": {"message": "no"}}, 400)]
    model = model_at(f"{service.url}/openai/v1/?api-version=2024-10-21&code=k1")
    assert asyncio.run(model.complete(PLAIN)).text == "Salve"
    assert (service.seen[0].path, service.seen[0].query) == (
        "/openai/v1/chat/completions", "api-version=2024-10-21&code=k1",
    )  # fmt: skip
    with pytest.raises(ModelFailure) as caught:
        asyncio.run(model.complete(PLAIN))
    assert "code=k1" not in str(caught.value)


def test_the_greeting_is_a_message_as_any_server_takes_it(service: Any) -> None:
    """Also one of a model that takes no system message, which was found out just before."""
    refused = JSONResponse({"error": {"message": "System role not supported"}}, 400)
    service.answers = [refused, JSONResponse({"error": {"message": "flagged"}}, 403), JSONResponse(completion())]
    with pytest.raises(ModelFailure, match="flagged"):
        reply_of(service)
    assert service.seen[2].body["messages"] == [{"role": "user", "content": "Hello"}]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_packed_reply_is_unpacked(service: Any, encoding: str) -> None:
    text = json.dumps(completion("Ave " * 100)).encode()
    packed = gzip.compress(text) if encoding == "gzip" else zlib.compress(text)
    service.answers = [Response(packed, media_type="application/json", headers={"content-encoding": encoding})]
    assert reply_of(service).text == "Ave " * 100
    assert encoding in service.seen[0].headers["accept-encoding"]


def test_a_server_without_keys_needs_none(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    service.replies(completion())
    assert asyncio.run(model_at(service.url + "/v1", None).complete(PLAIN)).text == "Salve"
    assert "of-the-environment" not in service.seen[0].headers["authorization"]


@pytest.mark.parametrize("nothing", ["", " ", None])
def test_a_reply_without_words_is_left_to_whoever_asked(service: Any, nothing: str | None) -> None:
    service.replies(completion(nothing))
    assert reply_of(service).text == (nothing or "")
    assert len(service.seen) == 1


def test_a_reply_that_is_no_text_is_final(service: Any) -> None:
    service.replies(completion([{"type": "image_url"}]))
    with pytest.raises(ModelFailure, match="not text"):
        reply_of(service)


def test_a_reply_that_the_server_kept_back_is_handed_on_as_malformed(service: Any) -> None:
    error = {"message": "Failed to generate JSON", "code": "json_validate_failed"}
    error["failed_generation"] = f"temperature {KEY} {{"
    service.replies({"error": error}, status=400)
    with pytest.raises(MalformedReply, match="Failed to generate JSON") as caught:
        reply_of(service, STRUCTURED)
    assert caught.value.text == "temperature [redacted] {"
    assert len(service.seen) == 1


def test_a_lone_surrogate_does_not_get_further(service: Any) -> None:
    service.answers = [Response(json.dumps(completion("a\ud800b")), media_type="application/json")]
    assert reply_of(service).text == "a\ufffdb"


def test_one_model_serves_several_loops(service: Any) -> None:
    model = model_at(service.url)

    async def main() -> None:
        await asyncio.gather(*[model.complete(PLAIN) for _ in range(20)])

    service.replies(completion())
    asyncio.run(main())
    asyncio.run(main())
    assert len(service.seen) == 40


def test_cancellation_passes_through(service: Any) -> None:
    async def slow(_: Any) -> Response:
        await asyncio.sleep(0.3)
        return JSONResponse(completion())

    async def main() -> None:
        async with asyncio.timeout(0.05):
            await model_at(service.url).complete(PLAIN)

    service.answers = [slow]
    with pytest.raises(TimeoutError):
        asyncio.run(main())


def test_the_proxy_is_used_except_on_loopback(service: Any, dead_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service.replies(completion())
    monkeypatch.setenv("http_proxy", dead_url)
    assert reply_of(service).text == "Salve"
    monkeypatch.setenv("http_proxy", service.url)
    assert asyncio.run(model_at("http://models.invalid/v1").complete(PLAIN)).text == "Salve"
    assert service.seen[1].headers["host"] == "models.invalid"
