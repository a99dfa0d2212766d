"""Requests wait for what the settings and the server's answers say."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from model_calls import FAST, PLAIN, UNREADABLE, completion, model_at, reply_of
from starlette.responses import JSONResponse, Response

from stoic_assets.core.calls.chat import ChatRequest, ModelFailure
from stoic_assets.core.configuration.endpoint_limits import ModelLimit


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
    assert asyncio.run(both()) >= 0.5


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
    assert asyncio.run(main()) >= 0.3


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
