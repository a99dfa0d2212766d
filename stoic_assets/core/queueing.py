"""Whose time it is: a bound on work during which the clock stands still while the work waits for what is ours.

Whoever makes it wait (a limit of requests, slots under a cost ceiling, setups on the graph) says so here. What happens
then to the time of a trial is nobody's business but the trial's.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

_deadline: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


@asynccontextmanager
async def working_time(seconds: float) -> AsyncIterator[None]:
    """Raises `TimeoutError` once the block has taken so many seconds, those spent `queueing` not counted."""
    async with asyncio.timeout(seconds) as deadline:
        token = _deadline.set(deadline)
        try:
            yield
        finally:
            _deadline.reset(token)


def time_left() -> float:
    """Seconds until the `working_time` around it is over; infinite where there is none, or its clock stands still."""
    deadline = _deadline.get()
    expires = None if deadline is None else deadline.when()
    return math.inf if expires is None else expires - asyncio.get_running_loop().time()


@contextmanager
def queueing() -> Iterator[None]:
    """Stops the clock of the `working_time` around it, if there is one that runs."""
    deadline = _deadline.get()
    expires = None if deadline is None or deadline.expired() else deadline.when()
    if deadline is None or expires is None:
        yield
        return
    clock = asyncio.get_running_loop().time
    left = expires - clock()
    deadline.reschedule(None)
    try:
        yield
    finally:
        deadline.reschedule(clock() + left)


@asynccontextmanager
async def slot_of(slots: asyncio.Semaphore) -> AsyncIterator[None]:
    """Holds one of the slots; waiting for it is `queueing`."""
    with queueing():
        await slots.acquire()
    try:
        yield
    finally:
        slots.release()
