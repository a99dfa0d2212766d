"""Time that passes by waiting alone."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest


class SimulatedTime(asyncio.SelectorEventLoop):
    """An event loop whose time passes by waiting alone, and at once: a busy machine is no delay."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        arrived = self._selector.select  # type: ignore[attr-defined]

        def select(timeout: float | None) -> Any:
            self.now += timeout or 0.0
            return arrived(0)

        self._selector.select = select  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.now


@pytest.fixture
def simulated() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine in simulated time."""

    def run(scene: Coroutine[Any, Any, Any]) -> Any:
        with asyncio.Runner(loop_factory=SimulatedTime) as runner:
            return runner.run(scene)

    return run
