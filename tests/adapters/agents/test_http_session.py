"""Sessions over real connections: nobody there, too slow, broken off, redirected, behind a proxy, by TLS."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from agent_calls import KEY, LIMIT, answer_of, failure_of
from one_at_a_time import one_at_a_time
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from stoic_assets.adapters.agents.embabel import IN_SESSION
from stoic_assets.adapters.agents.http_session import AgentHttp, Particular
from stoic_assets.adapters.http.request_limit import RequestLimit
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("https://agents.example/x?code=k1", "https://agents.example/x;"), ("/login?next=1", "/login;"),
        (f"//a.example/{KEY}", "//a.example/[redacted]"), ("http://[", "something that is not an address;"),
    ],
)  # fmt: skip
def test_a_redirect_is_not_followed_and_named_without_its_query(service: Any, place: str, shown: str) -> None:
    service.answers = [Response(status_code=307, headers={"location": place})]
    assert shown in str(failure_of(service.url))
    assert len(service.seen) == 1


@pytest.mark.parametrize(("particular", "turned_away"), [(Particular.WORDS, True), (Particular.PLACE, False)])
def test_a_redirect_of_one_request_is_its_own(service: Any, particular: Particular, turned_away: bool) -> None:
    service.answers = [RedirectResponse("/login", 302)]
    failure = failure_of(service.url, particular=particular)
    assert f"redirects to {service.url}/login" in str(failure)
    assert (failure.final, failure.turned_away) == (True, turned_away)


def test_a_port_that_speaks_no_http_serves_nobody() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\x15\x03\x03\x00\x02\x02\x16\r\n\r\n")  # what a server of TLS says to plain HTTP
        writer.close()

    async def main() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            http = AgentHttp(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", {}, LIMIT, path_advice="")
            with pytest.raises(AgentFailure, match="was reached, but its reply cannot be read: Bad status") as caught:
                await http.call("PUT", http.url)
            assert caught.value.turned_away
            await http.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("particular", "turned_away"), [(Particular.NOTHING, True), (Particular.WORDS, True), (IN_SESSION, False)]
)
def test_where_everybody_is_hung_up_on_the_address_may_be_wrong_and_no_session_is_at_fault(
    silent_url: str, particular: Particular, turned_away: bool
) -> None:
    failure = failure_of(silent_url, particular=particular)
    assert failure.turned_away is failure.says_how_to_go_on is turned_away
    assert not failure.final
    hinted = "cannot be reached: Server disconnected (is it https://?); look elsewhere"
    assert (hinted in str(failure)) is turned_away


def test_an_address_of_tls_where_none_is_spoken_is_to_be_corrected(service: Any) -> None:
    failure = failure_of(service.url.replace("http:", "https:"), particular=IN_SESSION)
    assert "speaks no TLS (is it http://?); look elsewhere" in str(failure)
    assert failure.turned_away
    assert failure.says_how_to_go_on


def test_nobody_there(dead_url: str) -> None:
    failure = failure_of(dead_url)
    assert "cannot be reached" in str(failure)
    assert (failure.final, failure.turned_away) == (False, True)


@pytest.mark.parametrize("place", ["queue", "TLS", "name"])
def test_a_host_that_is_silent_before_there_is_a_connection_is_nobody(
    deaf_url: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: Any, **__: Any) -> None:
        await asyncio.sleep(10)

    monkeypatch.setattr("asyncio.BaseEventLoop.getaddrinfo", hang)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = {"queue": deaf_url, "TLS": f"https://127.0.0.1:{listener.getsockname()[1]}", "name": "http://stoa.test"}
        failure = failure_of(url[place], 0.6, particular=IN_SESSION)
    assert str(failure) == f"the agent at {url[place]} cannot be reached: no connection was made in time"
    assert (failure.final, failure.late, failure.turned_away, failure.is_slow) == (False, True, True, False)


def test_a_host_that_answers_others_while_its_queue_is_full_is_slow() -> None:
    async def main() -> list[Any]:
        async with one_at_a_time(0.15, b"{}") as url:
            limit = AgentLimit(timeout_seconds=0.8)
            http, gate = AgentHttp(url, {}, limit, path_advice=""), RequestLimit(limit)

            async def call() -> Any:
                async with gate.request():
                    return await http.call("PUT", http.url, {"a": 1}, Particular.WORDS)

            outcomes = await asyncio.gather(*[call() for _ in range(5)], return_exceptions=True)
            await http.close()
            return outcomes

    outcomes = asyncio.run(main())
    assert {} in outcomes
    failures = [outcome for outcome in outcomes if isinstance(outcome, AgentFailure)]
    assert {str(failure).partition("cannot ")[2] for failure in failures} == {
        "be reached: no connection was made in time"
    }
    assert all(failure.is_slow and not failure.may_be_outage for failure in failures)


def test_too_slow(service: Any) -> None:
    async def sleep(_: Any) -> Response:
        await asyncio.sleep(0.8)
        return JSONResponse({})

    service.answers = [sleep]
    failure = failure_of(service.url, 0.3)
    assert str(failure) == f"the agent at {service.url} gave no answer within 0.3 s"
    assert failure.late


def test_a_connection_that_breaks_in_the_middle(service: Any) -> None:
    async def half() -> AsyncIterator[bytes]:
        yield b'{"message":'
        raise RuntimeError

    service.answers = [lambda _: StreamingResponse(half())]
    failure = failure_of(service.url)
    assert str(failure).endswith(" was reached, but its reply was cut off")
    assert not failure.final


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
            http = AgentHttp(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", {}, LIMIT, path_advice="")
            assert await http.call(method, http.url) == {}
            with pytest.raises(AgentFailure, match="cannot be reached") as caught:
                await http.call(method, http.url, particular=Particular.WORDS)
            failure = caught.value
            assert (failure.final, failure.turned_away, failure.hung_up) == (False, False, True)
            assert len(requests) == 2
            assert await http.call(method, http.url) == {}
            await http.close()

    asyncio.run(main())


def test_cookies_do_not_carry_over(service: Any) -> None:
    async def main() -> None:
        http = AgentHttp(service.url, {}, LIMIT, path_advice="")
        for _ in range(2):
            await http.call("GET", http.url)
        await http.close()

    service.replies({}, Set_Cookie="trial=1")
    asyncio.run(main())
    assert "cookie" not in service.seen[1].headers


def test_one_adapter_serves_several_loops_and_many_calls_at_once(service: Any) -> None:
    http = AgentHttp(service.url, {}, LIMIT, path_advice="")

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
    with pytest.raises(ConfigurationError, match=r"^the agent at https.* not trusted: .*; .* SSL_CERT_FILE"):
        answer_of(certified[0])


def test_a_proxy_that_refuses_us_is_no_fault_of_the_agent_and_its_password_stays_secret(refusing_proxy: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^the proxy before the agent at .* \(407\); check") as caught:
        answer_of("https://agents.example", particular=IN_SESSION)
    assert refusing_proxy not in str(caught.value)


def test_an_agent_that_a_proxy_does_not_reach_is_away(lost_proxy: str) -> None:
    failure = failure_of("https://agents.example", particular=IN_SESSION)
    assert str(failure).endswith("agents.example cannot be reached: the proxy answers 502 Bad Gateway")
    assert failure.turned_away


def test_a_proxy_for_plain_http_refuses_us_with_a_reply(service: Any) -> None:
    service.replies({}, status=407)
    with pytest.raises(ConfigurationError, match="the proxy before the agent"):
        answer_of(service.url, particular=IN_SESSION)
