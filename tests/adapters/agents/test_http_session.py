import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from stoic_assets.adapters.agents.embabel import IN_SESSION
from stoic_assets.adapters.agents.http_session import AgentHttp, Particular
from stoic_assets.core.conversation.agent import AgentFailure, SentTooMuch
from stoic_assets.core.endpoint_limits import AgentLimit
from stoic_assets.core.errors import ConfigurationError

KEY = "meditations-12"
LIMIT = AgentLimit(timeout_seconds=5)


def answer_of(url: str, seconds: float = 5.0, particular: tuple[int, ...] = (), mib: float = 8.0) -> Any:
    async def main() -> Any:
        limit = AgentLimit(timeout_seconds=seconds, largest_reply_mib=mib)
        http = AgentHttp(url, {"X-API-KEY": KEY, "Authorization": f"Bearer {KEY}9"}, limit)
        return await http.call("PUT", f"{http.url}/x", {"a": 1}, particular)

    return asyncio.run(main())


def failure_of(
    url: str, seconds: float = 5.0, particular: tuple[int, ...] = (), mib: float = 8.0
) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        answer_of(url, seconds, particular, mib)
    return caught.value


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_is_a_configuration_error_that_names_its_variable(service: Any, status: int) -> None:
    service.replies({"error": f"bad key {KEY}"}, status=status)
    with pytest.raises(ConfigurationError, match="AGENT_API_KEY") as caught:
        answer_of(service.url)
    assert KEY not in str(caught.value)


def test_a_gateway_without_a_list_of_keys_refuses_one_as_a_bad_request(service: Any) -> None:
    service.replies({"error": {"message": "No connected db.", "type": "no_db_connection"}}, status=400)
    with pytest.raises(ConfigurationError, match=r"refuses the key \(400\); check AGENT_API_KEY"):
        answer_of(service.url, particular=IN_SESSION)


@pytest.mark.parametrize(
    "said",
    [
        {"message": "The tool says no_db_connection.", "type": "invalid_request"}, "no_db_connection", None,
        {"type": ["no_db_connection"]},
    ],
)  # fmt: skip
def test_a_bad_request_that_only_speaks_of_a_missing_list_of_keys_is_no_refused_key(service: Any, said: Any) -> None:
    service.replies({"error": said, "hint": "no_db_connection"}, status=400)
    assert failure_of(service.url, particular=IN_SESSION).final


@pytest.mark.parametrize(
    "body", [b"no_db_connection", b'["no_db_connection"]', b"[" * 400 + b"]" * 400, b"[" + b"{}," * 10**5 + b"{}]"],
    ids=["words", "list", "deep", "long"],
)  # fmt: skip
def test_a_bad_request_in_any_other_form_is_no_refused_key(service: Any, body: bytes) -> None:
    service.answers = [Response(body, 400)]
    assert failure_of(service.url, particular=IN_SESSION).final


def test_a_forbidden_request_that_has_no_like_is_no_bad_key_yet(service: Any) -> None:
    async def main() -> None:
        http = AgentHttp(service.url, {"X-API-KEY": KEY}, LIMIT)
        with pytest.raises(AgentFailure, match="answered 403: content policy") as caught:
            await http.call("PUT", http.url, particular=IN_SESSION)
        assert (caught.value.final, caught.value.turned_away) == (True, True)
        with pytest.raises(ConfigurationError, match="refuses the key"):
            await http.call("PUT", http.url, particular=IN_SESSION)

    service.answers = [Response("content policy", 403), Response("expired", 401)]
    asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "turned_away"),
    [(500, False), (502, True), (503, True), (504, False), (429, True), (521, True), (529, True)],
)
def test_what_a_gateway_says_is_told_from_what_a_service_says(service: Any, status: int, turned_away: bool) -> None:
    service.replies({}, status=status)
    assert failure_of(service.url).turned_away is turned_away


@pytest.mark.parametrize("status", [402, 429, 529])
def test_busy_is_a_wait_of_the_length_that_the_agent_asks_for(service: Any, status: int) -> None:
    service.replies({}, status=status, Retry_After="7")
    failure = failure_of(service.url)
    assert str(failure).endswith(f"is busy ({status})")
    assert (failure.busy, failure.final, failure.retry_after) == (True, False, 7.0)


@pytest.mark.parametrize(
    ("status", "final"),
    [(status, False) for status in (408, 409, 423, 425, 500, 502, 503, 504)] + [(400, True), (404, True), (422, True)],
)
def test_server_faults_may_be_tried_again_and_refusals_not(service: Any, status: int, final: bool) -> None:
    service.replies({"error": "why"}, status=status)
    failure = failure_of(service.url, particular=IN_SESSION)
    assert (failure.final, failure.busy, failure.late) == (final, False, status in (408, 504))
    assert str(failure) == f'the agent at {service.url} answered {status}: {{"error":"why"}}'


def test_a_wrong_path_is_shown_without_its_query(service: Any) -> None:
    service.replies({}, status=404)
    failure = failure_of(f"{service.url}/agents/marcsu/?key=abc")
    shown, advice = f"{service.url}/agents/marcsu", "check its address; a corrected address needs a new evaluation"
    assert str(failure) == f"the agent at {shown} answered 404: {{}}; {advice}"


@pytest.mark.parametrize("answer", [Response(b"<html>", 200), Response(b"{}", 404), Response(b"{}", 405)])
def test_where_another_service_listens_the_address_is_to_be_corrected_and_nothing_continued(
    service: Any, answer: Response
) -> None:
    service.answers = [answer, answer]
    failure = failure_of(service.url)
    assert str(failure).endswith("; check its address; a corrected address needs a new evaluation")
    assert (failure.says_how_to_go_on, failure.turned_away) == (True, True)
    within = failure_of(service.url, particular=IN_SESSION)
    assert "check its address" not in str(within)
    assert (within.says_how_to_go_on, within.turned_away) == (False, False)


def test_no_key_and_no_control_character_gets_into_a_message(service: Any) -> None:
    service.answers = [Response(f"X-API-KEY {KEY}\x1b[2J and {KEY}9 refused", 400)]
    message = str(failure_of(service.url))
    assert "X-API-KEY [redacted] [2J and [redacted] refused" in message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("https://agents.example/x?code=k1", "https://agents.example/x;"), ("/login?next=1", "/login;"),
        (f"//a.example/{KEY}", "//a.example/[redacted]"), ("http://[", "something that is not an address;"),
    ],
)  # fmt: skip
def test_a_redirect_is_not_followed_and_named_without_its_query(service: Any, place: str, shown: str) -> None:
    service.answers = [Response(status_code=307, headers={"location": place})]
    with pytest.raises(ConfigurationError) as caught:
        answer_of(service.url)
    assert shown in str(caught.value)
    assert len(service.seen) == 1


@pytest.mark.parametrize(("particular", "turned_away"), [(Particular.WORDS, True), (Particular.PLACE, False)])
def test_a_redirect_of_one_request_is_its_own(service: Any, particular: Particular, turned_away: bool) -> None:
    service.answers = [RedirectResponse("/login", 302)]
    failure = failure_of(service.url, particular=particular)
    assert f"redirects to {service.url}/login" in str(failure)
    assert (failure.final, failure.turned_away) == (True, turned_away)


NOT_HERE = [Response("", 404), Response("", 405), Response("\n<!doctype html><p>Sign in", 200)]


@pytest.mark.parametrize("answer", NOT_HERE)
def test_what_everybody_gets_at_a_wrong_address_is_no_fault_of_one_request(service: Any, answer: Response) -> None:
    service.answers = [answer]
    assert failure_of(service.url).turned_away
    assert not failure_of(service.url, particular=IN_SESSION).turned_away


def test_a_port_that_speaks_no_http_serves_nobody() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\x15\x03\x03\x00\x02\x02\x16\r\n\r\n")  # what a server of TLS says to plain HTTP
        writer.close()

    async def main() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            http = AgentHttp(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", {}, LIMIT)
            with pytest.raises(AgentFailure, match="cannot be reached") as caught:
                await http.call("PUT", http.url)
            assert caught.value.turned_away
            await http.close()

    asyncio.run(main())


def test_nobody_there(dead_url: str) -> None:
    failure = failure_of(dead_url)
    assert "cannot be reached" in str(failure)
    assert (failure.final, failure.turned_away) == (False, True)


def test_too_slow(service: Any) -> None:
    async def sleep(_: Any) -> Response:
        await asyncio.sleep(0.5)
        return JSONResponse({})

    service.answers = [sleep]
    failure = failure_of(service.url, 0.05)
    assert str(failure) == f"the agent at {service.url} gave no answer within 0.05 s"
    assert failure.late


def test_a_connection_that_breaks_in_the_middle(service: Any) -> None:
    async def half() -> AsyncIterator[bytes]:
        yield b'{"message":'
        raise RuntimeError

    service.answers = [lambda _: StreamingResponse(half())]
    failure = failure_of(service.url)
    assert str(failure).endswith(" was reached, but its reply was cut off")
    assert not failure.final


@pytest.mark.parametrize("packed", ["gzip", "br", "zstd"])
def test_a_reply_that_cannot_be_unpacked_was_not_cut_off(service: Any, packed: str) -> None:
    """Nor is an agent away that sends it."""
    service.answers = [Response(b"no gzip at all", 200, {"Content-Encoding": packed})]
    failure = failure_of(service.url)
    assert " was reached, but its reply cannot be read: " in str(failure)
    assert "install" not in str(failure)
    assert not failure.turned_away


@pytest.mark.parametrize("method", ["PUT", "GET"])
def test_a_dropped_connection_is_a_failure_that_nobody_repeats_unseen(method: str) -> None:
    requests: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                requests.append(await reader.readuntil(b"\r\n\r\n"))
                if len(requests) == 2:
                    break
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    async def main() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            http = AgentHttp(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", {}, LIMIT)
            assert await http.call(method, http.url) == {}
            with pytest.raises(AgentFailure, match="cannot be reached") as caught:
                await http.call(method, http.url)
            assert (caught.value.final, caught.value.turned_away) == (False, False)
            assert len(requests) == 2
            assert await http.call(method, http.url) == {}
            await http.close()

    asyncio.run(main())


@pytest.mark.parametrize("body", [b"<html>", b"{", b"[" * 400 + b"]" * 400, b"NaN", b"\xff\xfe\xff"])
def test_bad_json(service: Any, body: bytes) -> None:
    service.answers = [Response(body, 200)]
    failure = failure_of(service.url)
    assert "did not answer with JSON: " in str(failure)
    assert not failure.final


def test_json_that_breaks_off_is_a_failure_of_this_request_alone(service: Any) -> None:
    service.answers = [Response(b'{"a":', 200)]
    failure = failure_of(service.url)
    assert (type(failure), failure.turned_away, failure.says_how_to_go_on) == (AgentFailure, False, False)
    assert "check its address" not in str(failure)


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


def test_cookies_do_not_carry_over(service: Any) -> None:
    async def main() -> None:
        http = AgentHttp(service.url, {}, LIMIT)
        for _ in range(2):
            await http.call("GET", http.url)
        await http.close()

    service.replies({}, Set_Cookie="trial=1")
    asyncio.run(main())
    assert "cookie" not in service.seen[1].headers


def test_one_adapter_serves_several_loops_and_many_calls_at_once(service: Any) -> None:
    http = AgentHttp(service.url, {}, LIMIT)

    async def main() -> list[Any]:
        return await asyncio.gather(*[http.call("PUT", http.url, {"i": i}) for i in range(50)])

    assert asyncio.run(main()) == [{}] * 50
    assert asyncio.run(main()) == [{}] * 50
    assert len(service.seen) == 100


def test_the_proxy_is_used_except_on_loopback(service: Any, dead_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", dead_url)
    assert answer_of(service.url) == {}
    monkeypatch.setenv("http_proxy", service.url.replace("://", "://epictetus:manual@"))
    assert answer_of("http://agent.invalid") == {}
    assert service.seen[1].headers["host"] == "agent.invalid"
    assert service.seen[1].headers["proxy-authorization"].startswith("Basic ")


def test_a_certificate_that_is_not_trusted_names_the_way_out(certified: tuple[str, Path]) -> None:
    with pytest.raises(ConfigurationError, match=r"^the agent at https.* not trusted: .*; .* set SSL_CERT_FILE"):
        answer_of(certified[0])


def test_a_proxy_that_refuses_us_is_no_fault_of_the_agent_and_its_password_stays_secret(refusing_proxy: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^the proxy before the agent at .* \(407\); check") as caught:
        answer_of("https://agents.example", particular=IN_SESSION)
    assert refusing_proxy not in str(caught.value)


def test_a_proxy_for_plain_http_refuses_us_with_a_reply(service: Any) -> None:
    service.replies({}, status=407)
    with pytest.raises(ConfigurationError, match="the proxy before the agent"):
        answer_of(service.url, particular=IN_SESSION)
