"""What comes in place of an agent's JSON, or as too much of it."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agent_calls import answer_of, failure_of
from starlette.responses import JSONResponse, Response, StreamingResponse

from stoic_assets.core.conversation.agent import AgentFailure, SentTooMuch


@pytest.mark.parametrize("packed", ["gzip", "br", "zstd"])
def test_a_reply_that_cannot_be_unpacked_was_not_cut_off(service: Any, packed: str) -> None:
    """Nor is an agent away that sends it."""
    service.answers = [Response(b"no gzip at all", 200, {"Content-Encoding": packed})]
    failure = failure_of(service.url)
    assert " was reached, but its reply cannot be read: Can not decode content-encoding: " in str(failure)
    assert "install" not in str(failure)
    assert not failure.turned_away


def test_a_reply_with_a_long_header_is_read(service: Any) -> None:
    service.answers = [JSONResponse({"message": "Salve"}, headers={"X-ChromeLogger-Data": "a" * 60_000})]
    assert answer_of(service.url) == {"message": "Salve"}


@pytest.mark.parametrize("body", [b"<html>", b"{", b"[" * 400 + b"]" * 400, b"NaN", b"\xff\xfe\xff"])
def test_bad_json(service: Any, body: bytes) -> None:
    service.answers = [Response(body, 200)]
    failure = failure_of(service.url)
    assert "did not answer with JSON: " in str(failure)
    assert not failure.final


@pytest.mark.parametrize(
    ("charset", "codec"),
    [("iso-8859-1", "latin-1"), ('"Windows-1252"', "cp1252"), ("iso-8859-1", "utf-8"), ("no-such-charset", "utf-8")],
)
def test_a_reply_in_another_charset_that_it_declares_is_read(service: Any, charset: str, codec: str) -> None:
    body = '{"message": "Café"}'.encode(codec)
    service.answers = [Response(body, headers={"Content-Type": f"application/json; charset={charset}"})]
    assert answer_of(service.url) == {"message": "Café"}


@pytest.mark.parametrize("charset", ["utf-8", "no-such-charset", "base64", "punycode", "idna", "undefined"])
def test_a_reply_that_is_not_in_the_charset_that_it_declares_is_bad_json(service: Any, charset: str) -> None:
    body = b'{"message": "' + b"a9" * 2**20 + b'\xe9"}'
    service.answers = [Response(body, headers={"Content-Type": f"application/json; charset={charset}"})]
    assert "did not answer with JSON: 'utf-8' codec can't decode byte 0xe9" in str(failure_of(service.url))


def test_json_that_breaks_off_is_a_failure_of_this_request_alone(service: Any) -> None:
    service.answers = [Response(b'{"a":', 200)]
    failure = failure_of(service.url)
    assert (type(failure), failure.turned_away, failure.says_how_to_go_on) == (AgentFailure, False, False)
    assert "look elsewhere" not in str(failure)


def test_a_refusal_in_events_is_told_by_its_status_and_waited_for(service: Any) -> None:
    service.answers = [Response("data: {}\n\n", 503, {"Retry-After": "7"}, "text/event-stream")]
    failure = failure_of(service.url)
    assert "answered 503" in str(failure)
    assert (failure.retry_after, failure.turned_away) == (7.0, True)


def test_an_answer_in_events_is_told_from_nonsense(service: Any) -> None:
    service.answers = [Response(b'data: {"choices": []}\n\ndata: [DONE]\n\n', media_type="text/event-stream")]
    failure = failure_of(service.url)
    assert str(failure).startswith(f"the agent at {service.url} did not answer with JSON: it streams (text/event-str")
    assert (failure.final, failure.turned_away) == (False, False)


RAISE = "if that is right, raise limits.agent.largest_reply_mib in stoic.yml"


def test_an_endless_reply_is_cut_off_at_the_size_that_is_set(service: Any) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 65536
            await asyncio.sleep(0.001)

    service.answers = [lambda _: StreamingResponse(endless())]
    failure = failure_of(service.url, mib=0.5)
    assert str(failure) == f"the agent at {service.url} sends more than 0.5 MiB at once; {RAISE}"
    assert (failure.final, isinstance(failure, SentTooMuch)) == (True, True)


def test_a_small_reply_that_unpacks_to_a_large_one_is_cut_off(service: Any) -> None:
    packed = gzip.compress(b" " * 9 * 1024 * 1024)
    service.answers = [Response(packed, headers={"content-encoding": "gzip"})]
    assert str(failure_of(service.url)).endswith(f" sends more than 8 MiB at once; {RAISE}")
    assert answer_of(service.url, mib=9) is None


def test_a_reply_of_too_many_values_says_what_has_to_be_set_for_it(service: Any) -> None:
    service.answers = [Response(b"[" + b"{}," * 112_499 + b"[]]", media_type="application/json")]
    failure = failure_of(service.url)
    bound = "limits.agent.largest_reply_mib: 8 allows 100,000"
    said = f"sends 112,501 values at once, and {bound}; if that is right, set it to 10 in stoic.yml"
    assert str(failure) == f"the agent at {service.url} {said}"
    assert (failure.final, isinstance(failure, SentTooMuch)) == (True, True)
    assert len(answer_of(service.url, mib=10)) == 112_500


def test_lone_surrogates_are_mended(service: Any) -> None:
    service.answers = [Response(rb'{"message": "\ud800"}')]
    assert answer_of(service.url) == {"message": "\ufffd"}
