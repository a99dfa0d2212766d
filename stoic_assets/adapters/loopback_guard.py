"""Who may use the HTTP servers that we start: programs of this machine, and the pages that these servers gave out.

A web page from anywhere can have a browser send requests to loopback and, by pointing its own name there, read the
answers. Browsers say what they do in `Host`, `Origin` and `Sec-Fetch-*`; programs send no foreign `Origin`. Who the
caller is stays the business of each server; for one that has no accounts, there is a token.
"""

import base64
import binascii
import secrets

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from stoic_assets.core.loopback import is_loopback

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""What this machine is called in a request. Not 0.0.0.0: to that, browsers tell less about where a request is from."""


class OwnPagesOnly:
    """ASGI middleware that answers 403 to what a page of another origin asks, by HTTP or WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers or passes on."""
        if scope["type"] != "lifespan" and is_foreign(Headers(scope=scope), scope.get("method", "")):
            await PlainTextResponse("a page of another origin may not do this", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class KnownCallersOnly:
    """ASGI middleware that answers 401 to whoever does not send the token; where none is set, to other machines.

    With one, this machine is asked as well: a proxy on it that others reach would speak for all of them. It is taken as
    a Bearer token from programs and as the password of any user from browsers, which ask for it.
    """

    def __init__(self, app: ASGIApp, token: str, setting: str) -> None:
        self._app, self._token, self._setting = app, token, setting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers or passes on."""
        if scope["type"] == "lifespan" or self._is_known(scope):
            await self._app(scope, receive, send)
            return
        advice = f"this needs the token of {self._setting}; where none is set, only this machine is answered"
        asking = {"WWW-Authenticate": 'Basic realm="stoic", charset="UTF-8"'}
        await PlainTextResponse(advice, 401, asking)(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        if not self._token:
            return _is_near(scope)
        sent = _token_in(Headers(scope=scope).get("authorization", ""))
        return secrets.compare_digest(sent.encode(), self._token.encode())


def _is_near(scope: Scope) -> bool:
    client = scope.get("client")
    return client is not None and is_loopback(client[0])


def _token_in(authorization: str) -> str:
    kind, _, value = authorization.partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2] if kind.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError):
        return ""


def is_foreign(headers: Headers, method: str) -> bool:
    """Whether another origin's page is behind a request. Following a link to a page of ours is all that it may do."""
    if (origin := headers.get("origin")) is not None and origin.partition("://")[2] != headers.get("host"):
        return True
    # Looked at as well, since a proxy has to set Origin to our own, whoever it was.
    follows_link = (
        method == "GET" and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not follows_link


def guard(host: str = LOOPBACK[0]) -> list[Middleware]:
    """The middleware of a server that listens on `host`; elsewhere than on loopback nobody knows its names."""
    names = list(LOOPBACK) if host in LOOPBACK else ["*"]
    return [Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False), Middleware(OwnPagesOnly)]
