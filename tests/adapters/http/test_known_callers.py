"""Requests as programs and browsers send them, against the token of a server."""

import asyncio
import base64
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from stoic_assets.adapters.http.known_callers import KnownCallersOnly, TokenOutOfAddress, login_link

PAGE = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
"""What every browser accepts where a page is to be shown."""


async def answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"done {request.url.query}".strip())


async def converse(socket: WebSocket) -> None:
    await socket.accept()


def guarded(token: str = "t0ken") -> TokenOutOfAddress:
    app = Starlette(routes=[Route("/", answer), WebSocketRoute("/", converse)])
    return TokenOutOfAddress(KnownCallersOnly(app, token))


def answer_to(
    client: str = "127.0.0.1", token: str = "t0ken", path: str = "/", scheme: str = "http", **headers: str
) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(guarded(token), client=(client, 4711))
        async with httpx.AsyncClient(transport=transport) as caller:
            return await caller.get(f"{scheme}://127.0.0.1:3000{path}", headers=headers)

    return asyncio.run(ask())


def status_for(client: tuple[str, int] | None, headers: list[tuple[bytes, bytes]], token: str = "t0ken") -> int:
    """The status of the answer to a request that httpx does not send."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers, "client": client}
    asyncio.run(guarded(token)(scope, None, send))  # type: ignore[arg-type]
    return int(sent[0]["status"])


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"anybody:{password}".encode()).decode()


def cookie_of(response: httpx.Response) -> str:
    return response.headers.get("set-cookie", "").partition(";")[0]


HERE = ["127.0.0.1", "::1", "::ffff:127.0.0.1"]
ANYWHERE = pytest.mark.parametrize("client", [*HERE, "10.0.0.5"])


@pytest.mark.parametrize("client", HERE)
def test_where_no_token_is_set_this_machine_needs_none(client: str) -> None:
    assert answer_to(client, token="").text == "done"


@ANYWHERE
@pytest.mark.parametrize("sent", ["Bearer t0ken", "bearer t0ken", basic("t0ken")])
def test_whoever_sends_the_token_is_answered(client: str, sent: str) -> None:
    assert answer_to(client, authorization=sent).text == "done"


@ANYWHERE
@pytest.mark.parametrize(
    "sent", ["", "Bearer other", basic("other"), "Basic ", "Basic !!", "Basic /w==", "t0ken", "Digest t0ken"]
)
def test_whoever_does_not_is_refused_and_so_is_a_proxy_on_this_machine(client: str, sent: str) -> None:
    for refused in (answer_to(client, authorization=sent), answer_to(client, authorization=sent, **PAGE)):
        assert refused.status_code == 401
        assert "STOIC_UI_TOKEN" in refused.text
        assert refused.headers["www-authenticate"].startswith("Basic")
        assert "set-cookie" not in refused.headers


def test_where_no_token_is_set_no_other_machine_is_answered() -> None:
    assert answer_to("10.0.0.5", token="", authorization="Bearer ").status_code == 401
    assert answer_to("10.0.0.5", token="", authorization=basic("")).status_code == 401
    assert answer_to("10.0.0.5", token="", path="/?token=", **PAGE).status_code == 401


@pytest.mark.parametrize("token", ["t0ken", "a b&c=d/+%ü"])
def test_a_link_logs_a_browser_in(token: str) -> None:
    link = login_link("", token)
    page = answer_to(path=link, token=token, **PAGE)
    assert "location.replace" in page.text
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert token not in page.text + str(page.headers)
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {*page.headers["set-cookie"].split("; ")}
    assert answer_to(token=token, cookie=cookie_of(page), **PAGE).text == "done"
    assert answer_to(token=token, cookie=f"other=1; {cookie_of(page)}").text == "done"
    assert "location.replace" in answer_to(path=link, token=token, cookie=cookie_of(page), **PAGE).text


def test_a_page_that_was_asked_for_with_a_password_is_left_for_its_plain_address() -> None:
    """An address with a password in it makes a page that cannot ask for anything; the server does not see which."""
    page = answer_to(authorization=basic("t0ken"), **PAGE)
    assert "location.replace" in page.text
    assert answer_to(authorization=basic("t0ken"), cookie=cookie_of(page), **PAGE).text == "done"
    assert answer_to(authorization="Bearer t0ken", **PAGE).text == "done"


def test_the_rest_of_an_address_stays_as_it_is() -> None:
    sent = {"authorization": "Bearer t0ken"}
    assert answer_to(path="/?q=&a=b%20c&flag", **sent).text == "done q=&a=b%20c&flag"
    assert answer_to(path="/?q=&token=other&a=b", **sent).text == "done q=&a=b"


def test_the_server_behind_hears_of_its_own_start() -> None:
    heard: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.append(scope["type"])

    asyncio.run(TokenOutOfAddress(KnownCallersOnly(app, "t0ken"))({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert heard == ["lifespan"]


@pytest.mark.parametrize("token", ["", "t0ken"])
def test_a_caller_who_tells_nothing_of_itself_is_not_taken_for_this_machine(token: str) -> None:
    """Neither an address, as behind a socket of the file system, nor a header."""
    assert status_for(None, [], token) == 401


def test_a_password_in_letters_that_no_header_should_have_is_refused() -> None:
    assert status_for(("127.0.0.1", 4711), [(b"authorization", "Basic é".encode())]) == 401


def test_a_form_that_is_sent_with_the_password_is_answered_itself() -> None:
    async def ask() -> httpx.Response:
        async def echo(request: Request) -> PlainTextResponse:
            return PlainTextResponse(f"got {(await request.body()).decode()}")

        app = Starlette(routes=[Route("/", echo, methods=["POST"])])
        transport = httpx.ASGITransport(TokenOutOfAddress(KnownCallersOnly(app, "t0ken")))
        async with httpx.AsyncClient(transport=transport) as caller:
            headers = {**PAGE, "authorization": basic("t0ken")}
            return await caller.post("http://127.0.0.1:3000/", content=b"it", headers=headers)

    assert asyncio.run(ask()).text == "got it"


def test_a_wrong_link_is_refused_and_so_is_a_cookie_for_another_token() -> None:
    assert answer_to(path="/?token=other", **PAGE).status_code == 401
    assert answer_to(path="/?token=t0ken").status_code == 401  # a program has headers
    for cookie in ("stoic_ui=t0ken", cookie_of(answer_to(token="other", path="/?token=other", **PAGE))):
        assert answer_to(cookie=cookie, **PAGE).status_code == 401


def test_the_token_leaves_the_address_before_anybody_logs_it() -> None:
    scope: dict[str, Any] = {
        "type": "http", "method": "GET", "path": "/", "scheme": "http", "server": ("127.0.0.1", 3000),
        "headers": [(b"accept", b"text/html")], "query_string": b"view=x%20y&token=t0ken",
    }

    async def nothing(*_: object) -> Any: ...

    asyncio.run(guarded()(scope, nothing, nothing))
    assert scope["query_string"] == b"view=x+y"


def test_over_tls_the_cookie_is_for_tls_alone() -> None:
    assert "Secure" in answer_to(path="/?token=t0ken", scheme="https", **PAGE).headers["set-cookie"]
    assert "Secure" not in answer_to(path="/?token=t0ken", **PAGE).headers["set-cookie"]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_web_socket_is_opened_by_the_cookie(is_known: bool) -> None:
    sent: list[str] = []
    cookie = cookie_of(answer_to(path="/?token=t0ken", **PAGE)) if is_known else ""

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {
        "type": "websocket", "path": "/", "headers": [(b"cookie", cookie.encode())], "query_string": b"token=t0ken",
        "subprotocols": [], "extensions": {"websocket.http.response": {}},
    }
    asyncio.run(guarded()(scope, receive, send))  # type: ignore[arg-type]
    assert ("websocket.accept" in sent) is is_known
