import asyncio
import gzip
import json
import time
import zlib
from dataclasses import replace
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.chat import ChatReply, ChatRequest, MalformedReply, ModelFailure, charged
from stoic_assets.core.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable, StoicError
from stoic_assets.core.settings import Price

KEY = "sk-meditations-12345678"
FAST = ModelLimit(attempts=3, backoff_seconds=0.001, longest_wait_seconds=0.3, timeout_seconds=5.0)
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
MESSAGES = ({"role": "system", "content": "Judge."}, {"role": "user", "content": "<transcript>"})
PLAIN = ChatRequest("judge", "sage", MESSAGES, 0.0)
STRUCTURED = ChatRequest("judge", "sage", MESSAGES, 0.0, SCHEMA, "verdict", brief={"never": "sent"})


def completion(content: Any = "Salve", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, **message}}
    usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "sage", "choices": [choice], "usage": usage}


def model_at(url: str, key: str | None = KEY, **limits: ModelLimit) -> OpenAiModel:
    each = Limits(**{"judge": FAST, "evaluator": FAST} | limits)
    return OpenAiModel(ModelServer(url, key), each, {"sage": Price(input=2, output=8)})


def reply_of(service: Any, request: ChatRequest = PLAIN) -> ChatReply:
    return asyncio.run(model_at(service.url + "/v1").complete(request))


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


def test_a_long_request_takes_its_share_of_the_tokens_a_minute_before_its_reply(service: Any) -> None:
    async def both() -> float:
        await model.complete(PLAIN)  # connects
        start = time.monotonic()
        await asyncio.gather(model.complete(long), model.complete(long))
        return time.monotonic() - start

    reply = {**completion(), "usage": {"prompt_tokens": 20_000, "completion_tokens": 200}}
    service.answers = [JSONResponse(completion()), lambda _: asyncio.sleep(0.2, JSONResponse(reply))]
    long = replace(PLAIN, messages=({"role": "user", "content": "word" * 10_000},) * 2)
    model = model_at(service.url, judge=FAST.model_copy(update={"tokens_per_minute": 2_000_000}))
    assert 0.5 <= asyncio.run(both()) < 2


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


UNREADABLE = {"choices": [{}], "usage": {"prompt_tokens": 1000, "completion_tokens": 200}}


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

    asyncio.run(cut_off())


def test_a_reply_without_usage_is_of_unknown_cost_whatever_came_before_it(service: Any) -> None:
    service.answers = [JSONResponse(UNREADABLE), JSONResponse({**completion(), "usage": None})]
    reply = reply_of(service)
    assert (reply.cost_usd, reply.cost_partial) == (pytest.approx(0.0036), True)


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


def test_the_greeting_that_shows_whose_fault_it_was_is_paid(service: Any) -> None:
    service.answers = [JSONResponse({"error": {"message": "flagged"}}, 403), JSONResponse(completion())]
    with pytest.raises(ModelFailure, match="flagged") as caught:
        reply_of(service)
    assert (charged(caught.value).prompt_tokens, charged(caught.value).cost_usd) == (1000, pytest.approx(0.0036))


def test_the_greeting_is_a_message_as_any_server_takes_it(service: Any) -> None:
    """Also one of a model that takes no system message, which was found out just before."""
    refused = JSONResponse({"error": {"message": "System role not supported"}}, 400)
    service.answers = [refused, JSONResponse({"error": {"message": "flagged"}}, 403), JSONResponse(completion())]
    with pytest.raises(ModelFailure, match="flagged"):
        reply_of(service)
    assert service.seen[2].body["messages"] == [{"role": "user", "content": "Hello"}]


def test_what_one_loop_used_of_a_budget_is_missing_in_the_next(service: Any) -> None:
    """Judging begins in another loop than the conversations."""
    model = model_at(service.url, judge=ModelLimit(tokens_per_minute=60 * 6_000))
    service.replies(completion())
    start = time.monotonic()
    for _ in range(2):
        asyncio.run(model.complete(PLAIN))
    assert time.monotonic() - start >= 0.19


def test_an_answer_that_held_no_reply_counts_towards_the_tokens_a_minute(service: Any) -> None:
    model = model_at(service.url, judge=ModelLimit(attempts=2, backoff_seconds=0.001, tokens_per_minute=60 * 12_000))
    service.answers = [JSONResponse(completion()), JSONResponse(UNREADABLE), JSONResponse(UNREADABLE)]

    async def main() -> float:
        await model.complete(PLAIN)
        start = time.monotonic()
        for _ in range(2):
            with pytest.raises(ModelFailure):
                await model.complete(PLAIN)
        return time.monotonic() - start

    assert asyncio.run(main()) >= 0.3


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 5}])
def test_where_replies_do_not_say_what_they_used_requests_are_paced_by_their_length(service: Any, usage: Any) -> None:
    async def main() -> float:
        start = time.monotonic()
        for _ in range(3):
            await model.complete(long)
        return time.monotonic() - start

    service.replies({**completion(), "usage": usage})
    long = replace(PLAIN, messages=({"role": "user", "content": "word" * 2_000},))
    model = model_at(service.url, judge=FAST.model_copy(update={"tokens_per_minute": 60 * 20_000}))
    assert asyncio.run(main()) >= 0.2


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


def test_a_busy_server_is_waited_for_as_it_asks(service: Any) -> None:
    busy = JSONResponse({}, 429, {"Retry-After": "0.15"})
    service.answers = [busy, busy, busy, busy, JSONResponse(completion())]
    start = time.monotonic()
    assert reply_of(service).text == "Salve"
    assert time.monotonic() - start >= 0.6


def test_a_busy_server_pauses_everyone(service: Any) -> None:
    arrivals: list[float] = []

    def answer(_: Any) -> Response:
        arrivals.append(time.monotonic())
        return JSONResponse(completion()) if len(arrivals) > 1 else JSONResponse({}, 429, {"Retry-After": "0.3"})

    async def main() -> None:
        model = model_at(service.url + "/v1", judge=ModelLimit(in_flight=1))
        await asyncio.gather(*[model.complete(PLAIN) for _ in range(3)])

    service.answers = [answer]
    asyncio.run(main())
    assert len(arrivals) == 4
    assert arrivals[1] - arrivals[0] >= 0.29


def test_a_known_limit_is_kept_to_in_every_loop(service: Any) -> None:
    model = model_at(service.url, judge=ModelLimit(requests_per_minute=6000))

    async def main() -> float:
        start = time.monotonic()
        await asyncio.gather(*[model.complete(PLAIN) for _ in range(15)])
        return time.monotonic() - start

    service.replies(completion())
    assert asyncio.run(main()) >= 0.11
    assert asyncio.run(main()) >= 0.11


def test_a_budget_of_tokens_is_kept_to_by_what_replies_say_they_used(service: Any) -> None:
    model = model_at(service.url, judge=ModelLimit(tokens_per_minute=60 * 12_000))

    async def main() -> float:
        start = time.monotonic()
        for _ in range(4):
            await model.complete(PLAIN)
        return time.monotonic() - start

    service.replies(completion())  # 1,200 tokens: a tenth of a second
    assert 0.3 <= asyncio.run(main()) < 5


def test_each_role_has_its_own_limit(service: Any) -> None:
    now, most = 0, {"judge": 0, "evaluator": 0}

    async def answer(seen: Any) -> Response:
        nonlocal now
        now += 1
        most[seen.body["messages"][0]["content"]] = max(most[seen.body["messages"][0]["content"]], now)
        await asyncio.sleep(0.03)
        now -= 1
        return JSONResponse(completion())

    async def main(role: Any) -> None:
        model = model_at(service.url, judge=ModelLimit(in_flight=5), evaluator=ModelLimit(in_flight=2))
        request = ChatRequest(role, "sage", ({"role": "user", "content": role},), 0.0)
        await asyncio.gather(*[model.complete(request) for _ in range(15)])

    service.answers = [answer]
    asyncio.run(main("judge"))
    asyncio.run(main("evaluator"))
    assert 2 < most["judge"] <= 5
    assert most["evaluator"] == 2


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
