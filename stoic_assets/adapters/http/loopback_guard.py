"""Who may use the HTTP servers that we start: programs on this machine, and pages that these servers delivered.

Any web page can make a browser send requests to loopback and, by pointing its own domain there, read the answers.
Browsers describe a request in `Host`, `Origin` and `Sec-Fetch-*`; programs send no foreign `Origin`. Each server checks
callers itself; for one that has no accounts, there is `known_callers`.
"""

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine in a request. Not 0.0.0.0: for that, browsers send less about a request's origin."""


class OwnPagesOnly:
    """ASGI middleware that answers 403 to requests from a page of another origin, by HTTP or WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers the request, or passes it on."""
        if scope["type"] != "lifespan" and _is_foreign(Headers(scope=scope), scope.get("method", "")):
            await PlainTextResponse("a page of another origin may not do this", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _is_foreign(headers: Headers, method: str) -> bool:
    """Whether a request comes from another origin's page. Such a page may do no more than link to one of our pages."""
    if (origin := headers.get("origin")) is not None and origin.partition("://")[2] != headers.get("host"):
        return True
    # Checked as well, since a proxy has to set Origin to our own, whatever the caller sent.
    follows_link = (
        method == "GET" and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not follows_link


def guard(host: str = LOOPBACK[0]) -> list[Middleware]:
    """The middleware of a server that listens on `host`; beyond loopback the server's names are unknown."""
    names = list(LOOPBACK) if host in LOOPBACK else ["*"]
    return [Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False), Middleware(OwnPagesOnly)]
