"""Handles Ctrl-C once: the first one ends what runs in good order, and further ones would only disturb that."""

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from stoic_assets.adapters.process.running_clock import RunningClockLoop

T = TypeVar("T")
Handler = Callable[[int, FrameType | None], Any]
PATIENCE = 5.0
"""Seconds after which Ctrl-C is handled again: what was interrupted should have ended by then."""


class HeardOnce:
    """A handler of Ctrl-C that passes the first one on, and drops those that follow within PATIENCE.

    Handlers that take turns within one command, as asyncio's and Dagster's do, count together: each is given the one
    `before` it.
    """

    def __init__(self, handler: Handler, before: Any = None) -> None:
        self._handler = handler
        self._heard: list[float] = before._heard if isinstance(before, HeardOnce) else []

    @property
    def heard(self) -> bool:
        """Whether there was a Ctrl-C."""
        return bool(self._heard)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self._heard or now - self._heard[-1] > PATIENCE:
            self._heard.append(now)
            self._handler(number, frame)


def hear_interrupts_once() -> None:
    """Makes the first Ctrl-C raise `KeyboardInterrupt`. Errors that it causes in libraries are no longer printed.

    SIGTERM and a terminal that is closed count as Ctrl-C. What is ignored, as by nohup, goes on being ignored.
    """
    interrupt, tell = HeardOnce(signal.default_int_handler), sys.unraisablehook
    as_ctrl_c: Handler = interrupt if is_ctrl_c_ignored() else lambda *_: signal.raise_signal(signal.SIGINT)
    handlers: dict[int, Handler] = {signal.SIGINT: interrupt, signal.SIGTERM: as_ctrl_c, signal.SIGHUP: as_ctrl_c}
    for number, handler in handlers.items():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    sys.unraisablehook = lambda ignored: None if interrupt.heard else tell(ignored)
    if logging.lastResort:  # prints records that no other handler takes
        logging.lastResort.addFilter(lambda _: not interrupt.heard)


def is_ctrl_c_ignored() -> bool:
    """Whether Ctrl-C does nothing, as in a command that a script began in its background; SIGTERM is heard there."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed, which libraries swallow or wrap in errors of their own."""
    handler = signal.getsignal(signal.SIGTERM if is_ctrl_c_ignored() else signal.SIGINT)
    return isinstance(handler, HeardOnce) and handler.heard


def heard_once(handler: Any) -> Any:
    """`handler` for Ctrl-C, to replace the present one; returned unchanged if it is not a function."""
    if isinstance(handler, HeardOnce) or not callable(handler):
        return handler
    return HeardOnce(handler, signal.getsignal(signal.SIGINT))


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` in a loop of its own, whose connections are closed with it; see `RunningClockLoop` for its time.

    Dagster's loop for async assets lives as long as the run: the connections of an asset would stay open in it, and be
    dropped with warnings at the end.
    """
    try:
        with _interrupts_left_to_asyncio() as before, asyncio.Runner(loop_factory=RunningClockLoop) as runner:
            return runner.run(_interrupted_once(work, before))
    finally:
        work.close()  # otherwise Python warns of a coroutine that never started because of an interrupt


async def _interrupted_once(work: Coroutine[Any, Any, T], before: Any) -> T:
    """The first Ctrl-C cancels what runs; further ones are dropped, since asyncio would abort at the second."""
    handler: Any = signal.getsignal(signal.SIGINT)
    if before is not None:
        signal.signal(signal.SIGINT, HeardOnce(handler, before))
    return await work


@contextmanager
def _interrupts_left_to_asyncio() -> Iterator[Any]:
    """Ctrl-C cancels what runs in good order, and counts even when nothing is left to wait for.

    Dagster's own handling would skip every `finally`; asyncio leaves Ctrl-C alone where another handler is set.
    Yields the handler until now, or None where it cannot be replaced or must not be, since Ctrl-C is ignored.
    """
    try:
        before = None if is_ctrl_c_ignored() else signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not the main thread, which alone receives Ctrl-C
        before = None
    try:
        yield before
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
