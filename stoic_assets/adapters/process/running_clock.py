"""An event loop whose clock stands still while the process is stopped, as by Ctrl-Z or `docker pause`.

Otherwise every reply that came meanwhile would be late, and its agent at fault.
"""

import asyncio
import selectors
import time

WAKES_EVERY = 1.0
"""Seconds after which a loop that waits looks at the time, so that it can tell waiting from being stopped."""
STOPPED_FROM = 2.0
"""Seconds that may pass between two looks beyond what was waited for, and still count: a busy machine needs them."""


class RunningClockLoop(asyncio.SelectorEventLoop):
    """A loop for which seconds in which it could not run do not pass: neither for time-outs nor for `time`."""

    def __init__(self) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)

    def time(self) -> float:
        """Seconds since some moment, without those in which the loop was kept from running."""
        return self._clock.look()


class _Clock(selectors.DefaultSelector):
    """Waits for a loop's events, and knows for how many seconds the loop did not run."""

    def __init__(self) -> None:
        super().__init__()
        self._stopped = 0.0
        self._seen = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """The events of `WAKES_EVERY` seconds at most; none may have come."""
        wait = min(WAKES_EVERY if timeout is None else max(timeout, 0.0), WAKES_EVERY)
        events = super().select(wait)
        self.look(wait)
        return events

    def look(self, waited: float = 0.0) -> float:
        """The time of the loop, which waited for so many seconds since the last look."""
        before, self._seen = self._seen, time.monotonic()
        excess = self._seen - before - waited
        if excess > STOPPED_FROM:
            self._stopped += excess
        return self._seen - self._stopped
