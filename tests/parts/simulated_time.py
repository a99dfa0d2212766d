"""Time that passes by waiting alone, and at once: a busy machine is no delay."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class SimulatedTime(asyncio.SelectorEventLoop):
    """An event loop with such a time, from 0 s on. Where nothing is due, it waits for other threads as others do."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        arrived = self._selector.select  # type: ignore[attr-defined]

        def select(timeout: float | None) -> Any:
            if timeout is None:
                return arrived(None)
            self.now += timeout
            return arrived(0)

        self._selector.select = select  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.now


def simulated(scene: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine in simulated time."""
    with asyncio.Runner(loop_factory=SimulatedTime) as runner:
        return runner.run(scene)
