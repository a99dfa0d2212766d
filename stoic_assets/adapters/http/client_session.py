"""The sessions of our HTTP clients; it imports aiohttp, so it is imported only where one is opened."""

from ssl import SSLContext
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

LARGEST_HEADER = 64 * 1024
"""Bytes of one header of a reply. Debuggers and gateways send more than the 8,190 that aiohttp takes by default."""


def open_session(
    proxy: str | None, *, ssl: SSLContext | bool = True, idle_seconds: float = 15.0, **options: Any
) -> aiohttp.ClientSession:
    """A session in the running event loop, without cookies, which trials must not share.

    It opens any number of connections, as our own limit applies before every request: no time-out contains that wait.
    One that was idle for `idle_seconds` is not used again. The other `options` are aiohttp's.
    """
    return aiohttp.ClientSession(
        connector=CleanConnector(limit=0, ssl=ssl, keepalive_timeout=idle_seconds), proxy=proxy,
        cookie_jar=aiohttp.DummyCookieJar(), max_field_size=LARGEST_HEADER, **options,
    )  # fmt: skip


class CleanConnector(aiohttp.TCPConnector):
    """Closes an idle connection on which something arrived, instead of using it again.

    aiohttp would take that for the answer to the next request, which may be of another trial: a reply that the server
    sends twice, or a 408 with which it says farewell. No public method tells idle connections from new ones; a test
    fails where aiohttp does not call this one. What comes when the next request is already under way cannot be told
    from its answer; to let each connection rest for 0.1 s would catch more of it, for 8 % more time of the processor
    and some five times as many connections to a server that answers in 20 ms.
    """

    async def _get(self, key: "ConnectionKey", traces: list["Trace"]) -> "Connection | None":
        while (idle := await super()._get(key, traces)) and idle.protocol and idle.protocol.should_close:
            idle.close()
        return idle
