"""The idle connections of our HTTP clients; it imports aiohttp, so it is imported only where a session is opened."""

from typing import TYPE_CHECKING

import aiohttp

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

REST = 0.1
"""Seconds before a connection is used again: what a server says twice has come by then."""


class CleanConnector(aiohttp.TCPConnector):
    """Closes an idle connection on which something arrived, instead of using it again.

    aiohttp would take that for the answer to the next request, which may be of another trial: a reply that the server
    sends twice, or a 408 with which it says farewell. No public method tells idle connections from new ones; a test
    fails where aiohttp does not call these.
    """

    def _release(self, key: "ConnectionKey", protocol: "ResponseHandler", *, should_close: bool = False) -> None:
        if should_close or protocol.should_close:
            super()._release(key, protocol, should_close=True)
        else:
            self._loop.call_later(REST, super()._release, key, protocol)

    async def _get(self, key: "ConnectionKey", traces: list["Trace"]) -> "Connection | None":
        while (idle := await super()._get(key, traces)) and idle.protocol and idle.protocol.should_close:
            idle.close()
        return idle
