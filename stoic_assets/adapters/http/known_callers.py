"""The token of a server that has no accounts: how programs and browsers send it.

A browser that has logged in with a link or a password sends a cookie from then on. A password alone is not enough: a
page whose address contains one cannot send further requests, and not every browser sends it with a WebSocket.
"""

import base64
import hashlib
import hmac
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stoic_assets.core.configuration.service_address import is_loopback

SETTING = "STOIC_UI_TOKEN"
IN_LINKS = "token"
"""The parameter of a link that logs in."""
_LINKED = "stoic.linked"
"""Where a request's scope has the token that was in its address."""

# The address as the browser knows it: behind a proxy the server has another. `location.href` may leave out a password.
# To the same address with a fragment, `replace` loads nothing.
_WAY_ON = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Logging in</title>
<meta name="viewport" content="width=device-width">
<main><h1>Logging in</h1><p>This needs JavaScript and cookies.</p></main>
<script>
const page = new URL(document.URL);
page.username = page.password = "";
page.searchParams.delete("{IN_LINKS}");
if (navigator.cookieEnabled) page.href === document.URL ? location.reload() : location.replace(page);
</script>"""


class TokenOutOfAddress:
    """ASGI middleware that takes the token of a link out of the address, for `KnownCallersOnly` further in.

    It belongs before everything that may answer: the web server logs the address as it is when the answer begins.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, without the token in its address."""
        if scope["type"] != "lifespan":
            scope[_LINKED] = _taken_from_link(scope)
        await self._app(scope, receive, send)


class KnownCallersOnly:
    """ASGI middleware that answers 401 to requests without the token; if none is set, to those of other machines.

    With a token, this machine needs it as well: otherwise a proxy on it would let in everyone who reaches the proxy.
    Programs send it as a Bearer token. Browsers send it as the password of any user, for which they ask, or in a link
    (see `TokenOutOfAddress`); both lead to the same page at its plain address, with a cookie.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token
        proof = hmac.digest(token.encode(), b"logged in to the web UI", hashlib.sha256).hex()
        # Cookies ignore ports: each server of this machine with a token of its own needs a name of its own.
        self._name, self._cookie = f"stoic_ui_{proof[:8]}", proof[8:]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers the request, or passes it on."""
        answer = None if scope["type"] == "lifespan" else self._answer(scope)
        await (answer or self._app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        """The answer to a request that is not passed on; None where it may pass."""
        if not self._token:
            return None if _is_near(scope) else _refusal()
        asked, linked = HTTPConnection(scope), scope.get(_LINKED, "")
        kind, sent = _sent(asked.headers.get("authorization", ""))
        is_known, has_cookie = _same(sent, self._token), _same(asked.cookies.get(self._name, ""), self._cookie)
        if _is_page(asked) and (_same(linked, self._token) or (is_known and kind == "basic" and not has_cookie)):
            return self._logged_in(asked)
        return None if is_known or has_cookie else _refusal()

    def _logged_in(self, asked: HTTPConnection) -> Response:
        page = HTMLResponse(_WAY_ON, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
        is_encrypted = asked.url.scheme == "https"
        page.set_cookie(self._name, self._cookie, httponly=True, samesite="strict", secure=is_encrypted)
        return page


def login_link(url: str, token: str) -> str:
    """The address that logs a browser in to the server at `url`, which has no path."""
    return f"{url}/?{urlencode({IN_LINKS: token})}"


def _refusal() -> Response:
    advice = f"this needs the token of {SETTING}; where none is set, only this machine is answered"
    return PlainTextResponse(advice, 401, {"WWW-Authenticate": 'Basic realm="stoic", charset="UTF-8"'})


def _is_near(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and is_loopback(client[0])


def _is_page(asked: HTTPConnection) -> bool:
    return asked.scope.get("method") == "GET" and "text/html" in asked.headers.get("accept", "")


def _taken_from_link(scope: Scope) -> str:
    """The token in the address, which is removed from it, so that no request log shows it."""
    query: list[tuple[str, Any]] = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    rest = [pair for pair in query if pair[0] != IN_LINKS]
    if len(rest) < len(query):
        scope["query_string"] = urlencode(rest).encode()
    return str(dict(query).get(IN_LINKS, ""))


def _sent(authorization: str) -> tuple[str, str]:
    """The scheme in lower case, and the token or password that was sent with it."""
    kind, _, value = authorization.partition(" ")
    if kind.lower() != "basic":
        return kind.lower(), value.strip() if kind.lower() == "bearer" else ""
    try:
        return "basic", base64.b64decode(value, validate=True).decode().partition(":")[2]
    except ValueError:  # not base64, or not text
        return "basic", ""


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
