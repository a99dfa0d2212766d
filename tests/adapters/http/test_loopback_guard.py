"""Requests as programs and browsers send them, against the middleware of our servers."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from stoic_assets.adapters.http.loopback_guard import guard

ELSEWHERE = "http://evil.example"


def app(host: str = "127.0.0.1") -> Starlette:
    async def answer(_: Request) -> PlainTextResponse:
        return PlainTextResponse("done")

    async def converse(socket: WebSocket) -> None:
        await socket.accept()

    routes = [Route("/", answer, methods=["GET", "POST"]), WebSocketRoute("/ws", converse)]
    return Starlette(routes=routes, middleware=guard(host))


def status(headers: dict[str, str], method: str = "GET", host: str = "127.0.0.1") -> int:
    async def ask() -> int:
        transport = httpx.ASGITransport(app(host))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:3000") as client:
            return (await client.request(method, "/", headers=headers)).status_code

    return asyncio.run(ask())


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "localhost:3000"},
        {"Host": "LOCALHOST"},
        {"Host": "[::1]:3000"},
        {"Host": "localhost:3000", "Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    ],
)
def test_programs_here_own_pages_and_followed_links_are_answered(headers: dict[str, str]) -> None:
    assert status(headers) == 200


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example", "0.0.0.0:3000", "10.0.0.5", "", "a b"])
def test_a_name_that_was_pointed_here_is_refused(name: str) -> None:
    assert status({"Host": name}) == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ELSEWHERE},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8000"},
        {"Origin": "http://[::1"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},  # by a proxy
    ],
)
def test_pages_of_other_origins_are_refused(headers: dict[str, str]) -> None:
    assert status(headers) == 403
    assert status(headers, "POST") == 403


def test_a_link_may_not_post() -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert status(link, "POST") == 403


def test_elsewhere_a_server_has_many_names_and_still_only_its_own_pages() -> None:
    assert status({"Host": "agent.internal"}, host="0.0.0.0") == 200
    assert status({"Host": "agent.internal", "Origin": ELSEWHERE}, host="0.0.0.0") == 403


@pytest.mark.parametrize(("origin", "accepted"), [(b"http://127.0.0.1:3000", True), (b"http://evil.example", False)])
def test_web_sockets_are_guarded_too(origin: bytes, accepted: bool) -> None:
    sent: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, object]) -> None:
        sent.append(str(message["type"]))

    scope = {
        "type": "websocket", "path": "/ws", "headers": [(b"host", b"127.0.0.1:3000"), (b"origin", origin)],
        "query_string": b"", "subprotocols": [], "extensions": {"websocket.http.response": {}},
    }
    asyncio.run(app()(scope, receive, send))  # type: ignore[arg-type]
    assert ("websocket.accept" in sent) is accepted
