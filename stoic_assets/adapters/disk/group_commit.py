"""Group commit: what many callers wait to have stored is stored together, with one sync of the disk for them all.

With a sync for each, conversations would queue for the disk; without any, a power cut would lose what was paid for.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

T = TypeVar("T")
Waiting = list[tuple[T, "asyncio.Future[None]"]]


class GroupCommit(Generic[T]):
    """Passes added items to `store`, one group at a time, in a thread; `store` returns when they are on disk."""

    def __init__(self, store: Callable[[Sequence[T]], None]) -> None:
        self._store = store
        self._waiting: Waiting[T] = []
        self._busy = False

    async def add(self, item: T) -> None:
        """Returns when `item` is stored. Raises what `store` raised; items of one group fail together."""
        stored = asyncio.get_running_loop().create_future()
        self._waiting.append((item, stored))
        if not self._busy:
            self._store_waiting()
        await stored

    # Callbacks and no task: at the end of a loop tasks are cancelled, and callers that still store something would
    # wait for ever.
    def _store_waiting(self) -> None:
        group, self._waiting = self._waiting, []
        items = [item for item, _ in group]
        try:
            work = asyncio.get_running_loop().run_in_executor(None, self._store, items)
        except RuntimeError:  # the loop is ending: it no longer runs threads, and nobody waits
            self._store(items)
            return
        self._busy = True
        work.add_done_callback(partial(self._tell, group))

    def _tell(self, group: Waiting[T], work: "asyncio.Future[None]") -> None:
        self._busy = False
        fault = work.exception()
        for _, stored in group:
            if stored.done():
                continue  # the caller was cancelled
            if fault is None:
                stored.set_result(None)
            else:
                stored.set_exception(fault)
        if self._waiting:
            self._store_waiting()
