"""A time limit for work whose clock stops while the work waits for Stoic Eval itself.

Code that makes it wait (a limit of requests, slots under a cost ceiling, setups on the graph) marks this with
`queueing`, and need not know about the time limit of a trial.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

_deadline: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)


@asynccontextmanager
async def working_time(seconds: float) -> AsyncIterator[None]:
    """Raises `TimeoutError` once the block has taken so many seconds, not counting time spent `queueing`."""
    async with asyncio.timeout(seconds) as deadline:
        token = _deadline.set(deadline)
        try:
            yield
        finally:
            _deadline.reset(token)


def time_left() -> float:
    """Seconds left of the enclosing `working_time`; infinite where there is none, or while its clock is stopped."""
    deadline = _deadline.get()
    expires = None if deadline is None else deadline.when()
    return math.inf if expires is None else expires - asyncio.get_running_loop().time()


@contextmanager
def queueing() -> Iterator[None]:
    """Stops the clock of the enclosing `working_time`, if there is one and it runs."""
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
