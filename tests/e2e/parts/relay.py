"""A way to somebody's server on loopback that can be closed for a while, as if the server had gone and come back."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit


class Relay:
    """Passes bytes on to `url`, whose port it replaces by its own."""

    def __init__(self, url: str) -> None:
        self._target, self._loop = urlsplit(url), asyncio.new_event_loop()
        self._port = 0
        self._server: asyncio.Server | None = None
        self._takes_connections = threading.Event()
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._target._replace(netloc=f"{self._target.hostname}:{self._port}").geturl()

    @contextmanager
    def running(self) -> Iterator["Relay"]:
        """Open while the block runs."""
        thread = threading.Thread(target=self._loop.run_forever)
        thread.start()
        self._do(self._listen())
        try:
            yield self
        finally:
            self._do(self._close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(10)
            self._loop.close()

    def break_for(self, seconds: float) -> None:
        """Drops every connection and takes no new one for a while."""
        self._takes_connections.clear()
        self._do(self._close())
        self._loop.call_soon_threadsafe(self._loop.call_later, seconds, self._reopen)

    def await_open(self) -> None:
        """Returns once it takes connections again; how long a command between lasts is the machine's affair."""
        assert self._takes_connections.wait(10)

    def _reopen(self) -> None:
        self._reopening = self._loop.create_task(self._listen())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        self._takes_connections.set()

    async def _close(self) -> None:
        if self._server:
            self._server.close()
        for writer in tuple(self._open):
            writer.transport.abort()
        await asyncio.sleep(0.05)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(self._target.hostname, self._target.port)
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while data := await reader.read(65536):
                writer.write(data)
        except ConnectionError:
            pass
        finally:
            self._open.discard(writer)
            writer.close()
