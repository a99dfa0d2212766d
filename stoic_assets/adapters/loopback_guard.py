"""Who may use the HTTP servers that we start: programs of this machine, and the pages that these servers gave out.

A web page from anywhere can have a browser send requests to loopback and, by pointing its own name there, read the
answers. Browsers say what they do in `Host`, `Origin` and `Sec-Fetch-*`; programs send no foreign `Origin`. Who the
caller is stays the business of each server; for one that has no accounts, there is `known_callers`.
"""

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

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
