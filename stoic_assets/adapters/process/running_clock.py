"""An event loop whose clock stands still while the process is stopped, as by Ctrl-Z or `docker pause`.

Otherwise every reply that came meanwhile would be late, and its agent at fault.
"""

import asyncio
import selectors
import time

WAKES_EVERY = 1.0
"""Seconds after which a loop that waits looks at the time, so that it can tell waiting from being stopped."""
STOPPED_FROM = 2.0
"""Seconds that a round of the loop may take beyond its wait and still count: a busy machine needs them."""


class RunningClockLoop(asyncio.SelectorEventLoop):
    """A loop for which seconds in which it could not run do not pass: neither for time-outs nor for `time`."""

    def __init__(self) -> None:
        self._rounds = _Rounds()
        super().__init__(self._rounds)

    def time(self) -> float:
        """Seconds since some moment, without those in which the loop was kept from running."""
        return super().time() - self._rounds.stopped


class _Rounds(selectors.DefaultSelector):
    """Waits for a loop's events, a round at a time; `stopped` is the sum of what rounds took too long, in seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = 0.0
        self._ended = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """The events of `WAKES_EVERY` seconds at most; none may have come."""
        wait = min(WAKES_EVERY if timeout is None else max(timeout, 0.0), WAKES_EVERY)
        events = super().select(wait)
        began, self._ended = self._ended, time.monotonic()
        excess = self._ended - began - wait
        if excess > STOPPED_FROM:
            self.stopped += excess
        return events
