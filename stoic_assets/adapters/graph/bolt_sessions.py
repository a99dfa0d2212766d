"""Sessions with one Bolt server: drivers for each event loop, and finding the server again after it was lost.

What runs in a session is in `bolt.py`.
"""

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.graph.graph_errors import is_lost_connection
from stoic_assets.adapters.process.lean_imports import import_lean_neo4j
from stoic_assets.adapters.process.loop_bound import LoopBound
from stoic_assets.adapters.process.shared_call import SharedCall
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError, StoicError

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncSession

CONNECT_SECONDS = 5.0

_POOL_SIZE = 50  # the embedded server admits 64 commands at once
_LONGEST_LIFE = 180.0  # NAT and load balancers forget idle connections, from four minutes on without a word
_IDLE_SECONDS = 30.0
_ALWAYS = 0.0


@dataclass(frozen=True)
class BoltServer:
    """A database, and the account that may only read it where there is one."""

    address: GraphAddress
    observer: GraphAddress | None = None


@dataclass(frozen=True)
class _Drivers:
    server: BoltServer
    full: "AsyncDriver"
    reading: "AsyncDriver"

    async def close(self) -> None:
        await self.full.close()
        await self.reading.close()


class BoltSessions:
    """Opens sessions in the event loop of the caller; a loop's connections close with it.

    `find_again`, which may block, returns where the server is after its connection was lost (an embedded server that
    died comes back on another port).
    """

    def __init__(self, server: BoltServer, find_again: Callable[[], BoltServer] | None) -> None:
        self.server = server
        self._find_again = find_again
        self._drivers = LoopBound(self._new_drivers, _Drivers.close)
        self._lost = False
        self._search = SharedCall(self._find)

    @asynccontextmanager
    async def open(self, reading: bool = False, **settings: Any) -> AsyncIterator["AsyncSession"]:
        """A session of the driver, with `reading` for the reading account; errors are the driver's own."""
        drivers = await self._current_drivers()
        driver = drivers.reading if reading else drivers.full
        try:
            async with driver.session(database=drivers.server.address.database, **settings) as session:
                yield session
        except Exception as error:
            if is_lost_connection(error):
                self.note_loss()
            raise

    @asynccontextmanager
    async def answering_within(self, seconds: float) -> AsyncIterator[None]:
        """Ends the block after so many seconds as though the connection were lost, for the server may hang.

        Finding a server that was lost before is not counted: an embedded one may have to start.
        """
        from neo4j.exceptions import ServiceUnavailable

        await self.ensure_found()
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            self.note_loss()
            raise ServiceUnavailable(f"no answer within {seconds:g} s") from None

    def note_loss(self) -> None:
        """The server has gone or hangs: the next caller looks for it."""
        self._lost = True

    async def ensure_found(self) -> None:
        """Finds a lost server again. Raises `InfrastructureError` if that fails; does nothing if none was lost."""
        if self._lost and self._find_again:
            try:
                await self._search.result()
            except StoicError as error:
                raise InfrastructureError(str(error)) from error

    async def close(self) -> None:
        """Closes the connections of the running loop."""
        await self._drivers.close()

    async def _current_drivers(self) -> _Drivers:
        await self.ensure_found()
        drivers = await self._drivers.get()
        if drivers.server != self.server:
            await self._drivers.close()
            drivers = await self._drivers.get()
        return drivers

    def _find(self) -> None:
        if self._lost and self._find_again:  # else the search before this one found it
            self.server = self._find_again()
            self._lost = False

    def _new_drivers(self) -> _Drivers:
        # Lost connections are raised as well, and a missing label is the normal case of an assertion.
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)
        address, observer = self.server.address, self.server.observer
        # What met a dead connection may have been executed: then a setup is not tried again, and a query neither where
        # it may have ended the embedded server.
        reading = _driver(observer or address, _IDLE_SECONDS if address.variables else _ALWAYS)
        return _Drivers(self.server, _driver(address, _ALWAYS), reading)


def _driver(address: GraphAddress, checked_after: float) -> "AsyncDriver":
    """A driver that asks a connection that was idle for so many seconds whether it still works, before it is used."""
    import_lean_neo4j()
    from neo4j import AsyncGraphDatabase

    _send_at_once()
    auth = (address.username, address.password or "") if address.username else None
    return AsyncGraphDatabase.driver(
        address.uri,
        auth=auth,
        connection_timeout=CONNECT_SECONDS,
        max_connection_pool_size=_POOL_SIZE,
        max_connection_lifetime=_LONGEST_LIFE,
        liveness_check_timeout=checked_after,
    )


@cache
def _send_at_once() -> None:
    # The asynchronous driver, unlike the other, lets its sockets hold back small packets: 40 ms for each connection.
    # asyncio has those sockets send at once that name TCP. A driver without this module is left as it is.
    if connecting := sys.modules.get("neo4j._async_compat.network._bolt_socket"):
        vars(connecting)["socket"] = partial(socket.socket, proto=socket.IPPROTO_TCP)
