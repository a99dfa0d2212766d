"""Answers that hold an error, or that are no reply, though their status is 200."""

import gzip
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from failing_calls import FAST, refusal, text_from
from model_calls import KEY, completion
from starlette.responses import JSONResponse, Response

from stoic_assets.core.calls.chat import ModelFailure, charged
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable


def test_a_small_reply_that_unpacks_to_a_large_one_is_cut_off_and_not_asked_for_again(service: Any) -> None:
    packed = gzip.compress(b" " * 9 * 1024 * 1024)
    service.answers = [Response(packed, 200, {"content-encoding": "gzip"})]
    assert refusal(service, ModelFailure).endswith(f"the model server at {service.url} sends more than 8 MiB")
    assert len(service.seen) == 1


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'"Salve"', b"null", b'{"choices": []}', b'{"choices": [{}]}', b'{"choices": "x"}',
             b'{"error": {"message": "overloaded"}}', b"{", b""],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_rubbish_is_tried_again_and_then_a_failure(service: Any, body: bytes, kind: str) -> None:
    service.answers = [Response(body, media_type=kind)]
    refusal(service, ModelFailure)
    assert len(service.seen) == 3


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        ({"message": "Insufficient funds", "code": 402}, ConfigurationError, "no credit left: 402 in an answer of"),
        ({"message": "Provider returned error", "code": "502"}, ServiceUnreachable, "Provider returned error; get it"),
        ({"message": "prompt too long", "code": 400}, ModelFailure, "prompt too long"),
        ({"message": "overloaded", "code": [9]}, ModelFailure, "overloaded"),
        ({"message": "prompt too long", "code": 400, "type": 400}, ModelFailure, "prompt too long"),
        ("session expired", ModelFailure, "session expired"),
        ("Unexpected endpoint or method. (POST /chat/completions)", ConfigurationError, "it usually ends in /v1"),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        lambda error: {"error": error},
        lambda error: {"error": error, "choices": [{"message": {"content": "Sal"}}]},
        lambda error: {"choices": [{"finish_reason": "error", "message": {"content": "Sal"}, "error": error}]},
    ],
)
def test_an_error_in_an_answer_of_status_200_is_that_error(
    service: Any, error: Any, kind: type[Exception], said: str, form: Callable[[Any], Any]
) -> None:
    service.replies(form(error))
    assert said in refusal(service, kind)


def test_an_answer_that_broke_off_is_paid_for_and_says_nothing_about_the_form(service: Any) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 200}
    error = {"code": 400, "message": "upstream closed"}
    broken = {"choices": [{"finish_reason": "error", "message": {"content": "Sal"}, "error": error}], "usage": usage}
    service.replies(broken)
    with pytest.raises(ModelFailure, match="upstream closed") as caught:
        text_from(service.url)
    assert charged(caught.value).prompt_tokens == 1000 * len(service.seen)
    assert len(service.seen) == FAST.attempts, "no other form was asked for"


def test_a_choice_that_the_provider_was_too_busy_for_is_waited_for(service: Any) -> None:
    error = {"code": 429, "message": "rate-limited upstream"}
    busy = {"choices": [{"finish_reason": "error", "message": {"content": ""}, "error": error}]}
    service.answers = [*[JSONResponse(busy)] * 8, JSONResponse(completion())]
    assert text_from(service.url) == "Salve"


def test_a_reply_that_ends_with_an_error_before_its_first_word_is_asked_for_again(service: Any) -> None:
    service.replies({"choices": [{"finish_reason": "error", "message": {"role": "assistant", "content": ""}}]})
    assert refusal(service, ModelFailure).endswith("200 - the reply is empty (finish_reason error)")
    assert len(service.seen) == 3
    service.replies({"choices": [{"finish_reason": "error", "message": {"content": "Sal"}}]})
    assert text_from(service.url) == "Sal"


def test_a_completion_in_another_charset_that_it_declares_is_read(service: Any) -> None:
    body = json.dumps(completion("Café"), ensure_ascii=False).encode("latin-1")
    service.answers = [Response(body, headers={"Content-Type": "application/json; charset=ISO-8859-1"})]
    assert text_from(service.url) == "Café"


def test_what_came_instead_of_json_is_quoted(service: Any) -> None:
    page, greeting = Response("<html>Sign in</html>"), JSONResponse(completion())
    service.answers = [lambda seen: page if seen.body["messages"][0]["content"] == "Judge." else greeting]
    assert refusal(service, ModelFailure).endswith("did not answer with JSON: <html>Sign in</html>")


@pytest.mark.parametrize(
    "start",
    [
        'data: {"id": "c"}', "event: message", ": OPENROUTER PROCESSING", ":", "id: 1\ndata: {}", "retry: 3000",
        "\n\ndata: {}",
    ],
)  # fmt: skip
def test_a_stream_is_named_as_one_and_not_paid_for_again(service: Any, start: str) -> None:
    service.answers = [Response(f"{start}\n\ndata: [DONE]\n\n", media_type="text/event-stream")]
    assert "streams its answer; choose a model or server that answers in one piece" in refusal(service, ModelFailure)
    assert [call.body["stream"] for call in service.seen] == [False]


@pytest.mark.parametrize(
    "answer",
    [
        {"choices": None, "usage": {"total_tokens": 0}, "base_resp": {"status_msg": f"insufficient balance {KEY}"}},
        {"code": "Throttling", "message": f"insufficient balance {KEY}"},
    ],
)
def test_an_answer_of_status_200_without_a_choice_is_quoted_as_the_error_that_it_is(service: Any, answer: Any) -> None:
    service.replies(answer)
    assert "insufficient balance [redacted]" in refusal(service, ModelFailure)


def test_a_reply_with_a_long_header_is_read(service: Any) -> None:
    service.answers = [JSONResponse(completion(), headers={"X-Trace": "a" * 60_000})]
    assert (text_from(service.url), len(service.seen)) == ("Salve", 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_web_page_for_everybody_ends_the_run_in_any_encoding(service: Any, encoding: str) -> None:
    service.answers = [Response("\n<html>Bitte für Zugang anmelden</html>".encode(encoding))]
    assert re.search("<html>Bitte f.r Zugang anmelden</html>; get it running", refusal(service, ServiceUnreachable))
