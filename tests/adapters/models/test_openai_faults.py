"""A model server that fails, is busy, is too slow or turns somebody away: what is tried again, what ends the run."""

import asyncio
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from failing_calls import FAST, REQUEST, refusal, text_from, turning_away
from hanging_up import server_that_hangs_up
from model_calls import KEY, completion
from one_at_a_time import one_at_a_time
from simulated_time import simulated
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import GREETING, OpenAiModel
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, ModelFailure
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit
from stoic_assets.core.errors import AttemptFailed, ConfigurationError, ServiceUnreachable

GREETED = JSONResponse(completion())
GEMINI = [{"error": {"code": 404, "message": "models/sage is not found for API version v1main", "status": "NOT_FOUND"}}]


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (404, GEMINI, ConfigurationError, "model 'sage' (Error code: 404 - models/sage is not found for API version"),
        (422, {"error": "inputs must be <= 4096", "error_type": "x"}, ModelFailure, "422 - inputs must be <= 4096"),
        (400, {"detail": "Not loaded"}, ModelFailure, "Error code: 400 - Not loaded"),
        (400, {"message": "too long"}, ModelFailure, "Error code: 400 - too long"),
        (
            400, {"error": {"message": "Provider returned error", "metadata": {"raw": f"too long {KEY}"}}},
            ModelFailure, "Error code: 400 - Provider returned error too long [redacted]",
        ),
        (429, [{"error": {"code": 429, "message": "Too many"}}], ModelFailure, "busy: Error code: 429 - Too many"),
    ],
)
def test_the_words_of_an_error_are_quoted_in_whatever_form_they_come(
    service: Any, status: int, body: Any, kind: type[Exception], said: str
) -> None:
    refused = JSONResponse(body, status)
    service.answers = [lambda seen: refused if seen.body["messages"] == [*REQUEST.messages] else GREETED]
    assert said in refusal(service, kind)


def test_an_error_that_is_plain_text_is_quoted(service: Any) -> None:
    service.answers = [Response("upstream connect error", 500)]
    assert refusal(service, ModelFailure).endswith("Error code: 500 - upstream connect error")


@pytest.mark.parametrize("status", [500, 503, 408, 409, 423, 425])
def test_passing_faults_are_tried_again(service: Any, status: int) -> None:
    service.answers = [JSONResponse({}, status), JSONResponse({}, status), JSONResponse(completion())]
    assert text_from(service.url) == "Salve"
    assert len(service.seen) == 3


def test_faults_that_stay_end_in_a_model_failure(service: Any) -> None:
    service.replies({"error": {"message": f"out of memory {KEY}"}}, status=500)
    assert "out of memory [redacted]" in refusal(service, ModelFailure)
    assert len(service.seen) == 3


def test_a_model_that_is_not_found_for_a_moment_is_asked_again(service: Any) -> None:
    loading = JSONResponse({"error": {"message": "model 'sage' not found on this node yet"}}, 503)
    service.answers = [loading, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


@pytest.mark.parametrize("status", [403, 429, 502, 503])
def test_a_message_that_is_turned_away_is_no_fault_of_the_server(service: Any, status: int) -> None:
    turning_away(service, ("Judge.",), status)
    assert refusal(service, ModelFailure).endswith("not you")
    assert service.seen[-1].body["messages"] == [{"role": "user", "content": "Hello"}]


def test_a_server_that_fails_over_a_greeting_does_not_turn_everybody_away(service: Any) -> None:
    service.answers = [JSONResponse({"error": {"message": "not you"}}, 403), JSONResponse({}, 500)]
    assert "not you" in refusal(service, ModelFailure)


@pytest.mark.parametrize("status", [502, 503, 521])
def test_a_server_that_turns_everybody_away_ends_the_run(service: Any, status: int) -> None:
    turning_away(service, ("Judge.", "Hello"), status, "loading the model")
    line = refusal(service, ServiceUnreachable)
    assert "loading the model; get it running again" in line
    assert len(service.seen) == 6


def test_a_server_that_dies_in_the_midst_of_a_request_ends_the_run_too(service: Any) -> None:
    service.answers = [Response(b'{"choices"', headers={"content-length": "1000"}), JSONResponse({}, 503)]
    assert "503" in refusal(service, ServiceUnreachable)


def test_a_server_that_hangs_up_on_everybody_ends_the_run_and_one_that_does_so_on_a_message_does_not(
    silent_url: str
) -> None:
    with pytest.raises(ServiceUnreachable, match="Server disconnected"):
        text_from(silent_url)
    with server_that_hangs_up("Judge.", completion()) as url, pytest.raises(ModelFailure, match="Server disconnected"):
        text_from(url)


@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_server_is_waited_for_longer_than_a_failing_one(service: Any, status: int) -> None:
    service.answers = [JSONResponse({"error": {"message": "overloaded"}}, status)] * 8 + [JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def test_a_server_that_asks_for_payment_later_is_busy(service: Any) -> None:
    unpaid = JSONResponse({"error": {"message": "In-flight spending budget reached"}}, 402, {"Retry-After": "0"})
    service.answers = [*[unpaid] * 8, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def test_a_request_that_is_larger_than_what_the_account_has_in_a_minute_is_not_repeated(service: Any) -> None:
    too_large = "Request too large for sage: Limit 30000, Requested 35221. The tokens must be reduced."
    service.replies({"error": {"message": too_large, "code": "rate_limit_exceeded"}}, status=429)
    assert too_large in refusal(service, ModelFailure)
    assert len(service.seen) == 1


@pytest.mark.parametrize("status", [429, 529])
def test_nothing_but_refusals_ends_the_run_and_says_why(service: Any, status: int) -> None:
    turning_away(service, ("Judge.", "Hello"), status, "Daily limit reached. Try again in 5h32m.")
    limit = FAST.model_copy(update={"attempts": 50, "longest_wait_seconds": 0.05, "longest_refusal_seconds": 0.2})
    with pytest.raises(ServiceUnreachable, match=f"busy: Error code: {status} - Daily .*; wait, or raise its limit$"):
        text_from(service.url, limit)
    assert len(service.seen) < 50


def test_a_connection_that_breaks_off_is_tried_again(service: Any) -> None:
    torn = Response(b'{"choices"', headers={"content-length": "1000"})
    service.answers = [torn, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"
    assert len(service.seen) == 2


def test_nobody_there(dead_url: str) -> None:
    with pytest.raises(ServiceUnreachable, match="cannot be reached"):
        text_from(dead_url)


def test_a_server_that_accepts_no_connection_any_more_is_away_and_not_slow(deaf_url: str) -> None:
    limit = ModelLimit(attempts=2, backoff_seconds=0.001, timeout_seconds=0.4)
    with pytest.raises(ServiceUnreachable, match="cannot be reached: no connection was made in time; get it running"):
        text_from(deaf_url, limit)


def test_a_server_that_answers_others_while_its_queue_is_full_is_slow_and_not_away() -> None:
    async def main() -> list[Any]:
        async with one_at_a_time(0.15, json.dumps(completion()).encode()) as url:
            limit = ModelLimit(attempts=1, timeout_seconds=0.8)
            model = OpenAiModel(ModelServer(url, KEY), Limits(judge=limit, evaluator=limit), {})
            return await asyncio.gather(*[model.complete(REQUEST) for _ in range(5)], return_exceptions=True)

    outcomes = asyncio.run(main())
    failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert {type(failure) for failure in failures} == {ModelFailure}
    assert all("no connection was made in time" in str(failure) for failure in failures)
    assert len(failures) < len(outcomes)


@pytest.mark.parametrize(("answered", "kind"), [(True, ModelFailure), (False, ServiceUnreachable)])
def test_a_server_that_answers_anybody_during_a_greeting_without_a_connection_is_not_away(
    answered: bool, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def attempt(_: Any, client: Any, request: ChatRequest, *__: Any) -> ChatReply:
        if request.model == "other":
            await knocks.acquire()
            return ChatReply("Salve")
        await asyncio.sleep(5)
        if request.messages == GREETING and next(greetings) % 2 == 0 and answered:
            knocks.release()
        await asyncio.sleep(5)
        raise AttemptFailed("silence", late=True, turned_away=True)

    async def main() -> None:
        model = OpenAiModel(ModelServer("http://stoa.test", KEY), Limits(judge=ModelLimit(attempts=2)), {})
        others = [asyncio.create_task(model.complete(replace(REQUEST, model="other"))) for _ in range(2)]
        with pytest.raises(kind, match="sage gave no reply: silence"):
            await model.complete(REQUEST)
        assert [other.done() for other in others] == [answered] * 2
        for other in others:
            other.cancel()

    knocks, greetings = asyncio.Semaphore(0), itertools.count()
    monkeypatch.setattr(OpenAiModel, "_attempt", attempt)
    simulated(main())


@pytest.mark.parametrize("role", ["judge", "evaluator"])
def test_an_answer_that_is_too_slow_says_how_long_it_may_take_and_where_that_is_set(service: Any, role: Any) -> None:
    async def slow(_: Any) -> Response:
        await asyncio.sleep(1.0)
        return JSONResponse(completion())

    service.answers = [slow]
    limit = ModelLimit(attempts=2, backoff_seconds=0.001, timeout_seconds=0.2)
    model = OpenAiModel(ModelServer(service.url, KEY), Limits(**{role: limit}), {})
    why = rf"{service.url} gave no answer within 0\.2 s; raise limits\.{role}\.timeout_seconds in stoic\.yml$"
    with pytest.raises(ModelFailure, match=why) as caught:
        asyncio.run(model.complete(replace(REQUEST, role=role)))
    assert len(service.seen) == 2
    cause = caught.value.__context__
    assert isinstance(cause, AttemptFailed)
    assert cause.late, "all requests slow down"


@pytest.mark.parametrize(("status", "late"), [(408, True), (504, True), (524, True), (500, False)])
def test_a_time_out_that_the_server_tells_of_is_one_too(service: Any, status: int, late: bool) -> None:
    service.replies({}, status=status)
    with pytest.raises(ModelFailure) as caught:
        text_from(service.url)
    cause = caught.value.__context__
    assert isinstance(cause, AttemptFailed)
    assert cause.late is late
