"""The HTTP side of the openai package: whole requests and whole replies over one aiohttp session.

The package's own `DefaultAioHttpClient` does the same with streams, redirects, cookies and an authentication flow, none
of which a chat completion needs: 0.3 ms of processor time a call, a quarter of it all. This module is imported where a
connection is opened, since httpx2 and aiohttp are heavy.
"""

from typing import Any

import aiohttp
import httpx2

_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of a reply that speak of the bytes that arrived, which aiohttp has unpacked."""


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends with aiohttp, whose errors pass through. A redirect is not followed: it would carry the key elsewhere.

    Made within a running event loop; no time-out and no limit on connections, which are ours and stand around a call.
    """

    def __init__(self, secure: bool, proxy: str | None) -> None:
        # Certificates take 45 ms to read, for every loop: a model on this machine is spared that.
        trusted = httpx2.create_ssl_context(trust_env=True) if secure else True
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=trusted),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            proxy=proxy,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The whole reply, whatever its status."""
        async with self._session.request(
            request.method, str(request.url), headers=request.headers.multi_items(), data=request.content,
            allow_redirects=False,
        ) as reply:  # fmt: skip
            content = await reply.read()
        headers = [(name, value) for name, value in reply.headers.items() if name.lower() not in _OF_THE_WIRE]
        return httpx2.Response(reply.status, headers=headers, content=content, request=request)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._session.close()


class AiohttpClient(httpx2.AsyncClient):
    """What the openai package hands its requests to: they go straight to the transport.

    Nothing is added to their headers, so that the encodings that are accepted are those that aiohttp can unpack.
    """

    def __init__(self, secure: bool, proxy: str | None) -> None:
        self._direct = AiohttpTransport(secure, proxy)
        super().__init__(transport=self._direct, timeout=None, trust_env=False)

    def build_request(self, method: str, url: Any, *, headers: Any = None, content: Any = None, **_: Any) -> Any:
        """The request as the package made it up."""
        return httpx2.Request(method, url, headers=headers, content=content)

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """The whole reply."""
        return await self._direct.handle_async_request(request)
