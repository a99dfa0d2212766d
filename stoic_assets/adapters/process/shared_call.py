"""A call that may block for long, made once for all who wait for its result."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedCall(Generic[T]):
    """Makes `call` in a thread, once at a time; whoever asks meanwhile, in any event loop, gets the same result.

    The thread is none of a loop's few, for which syncs of the disk and name look-ups would have to wait, and neither
    the end of a loop nor that of the process waits for it.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._underway: Future[T] | None = None

    async def result(self) -> T:
        """The result of the call that is underway, or of a new one. Raises what it raised."""
        return await asyncio.wrap_future(self._joined())

    def _joined(self) -> "Future[T]":
        with self._lock:
            if self._underway is None or self._underway.done():
                self._underway = Future()
                self._underway.set_running_or_notify_cancel()  # else who gives up would cancel it for all others
                threading.Thread(target=self._make, args=[self._underway], daemon=True).start()
            return self._underway

    def _make(self, underway: "Future[T]") -> None:
        try:
            result = self._call()
        except BaseException as error:
            underway.set_exception(error)
        else:
            underway.set_result(result)
