"""Connections that belong to an event loop, opened and closed with it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LoopBound(Generic[T]):
    """One connection for each event loop that asks for it.

    An HTTP session cannot outlive its loop and cannot be shared between loops, while an adapter is made before the
    first loop and may serve several (one for each Dagster run, for example). So the session lives in an asynchronous
    generator, which both `asyncio.run` and Dagster finish before they close a loop.
    """

    def __init__(self, open_: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._open, self._close = open_, close
        self._living: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None, None]]] = {}

    async def get(self) -> T:
        """The connection of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._living:
            thing = self._open()
            life = self._live(loop, thing)
            self._living[loop] = (thing, life)
            await anext(life)
        return self._living[loop][0]

    async def close(self) -> None:
        """Closes the connection of the running loop now; the next `get` opens another."""
        if entry := self._living.get(asyncio.get_running_loop()):
            await entry[1].aclose()

    async def _live(self, loop: asyncio.AbstractEventLoop, thing: T) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            del self._living[loop]
            await self._close(thing)
