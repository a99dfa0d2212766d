import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.queueing import queueing, slot_of, time_left, working_time


async def queue(seconds: float) -> None:
    with queueing():
        await asyncio.sleep(seconds)


def test_the_clock_stands_still_while_one_queues() -> None:
    async def scene() -> float:
        start = asyncio.get_running_loop().time()
        async with working_time(0.08):
            for _ in range(4):
                await queue(0.05)
        return asyncio.get_running_loop().time() - start

    assert simulated(scene()) == pytest.approx(0.2)


def test_it_goes_on_with_what_was_left() -> None:
    async def work() -> None:
        async with working_time(0.06):
            await asyncio.sleep(0.03)
            await queue(0.1)
            await asyncio.sleep(5)

    async def scene() -> float:
        start = asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            await work()
        return asyncio.get_running_loop().time() - start

    assert simulated(scene()) == pytest.approx(0.16)


def test_queueing_within_queueing_and_without_a_clock_stops_nothing_twice() -> None:
    async def scene() -> float:
        await queue(0.001)
        async with working_time(0.05):
            with queueing():
                await queue(0.06)
                await asyncio.sleep(0.01)
            left = time_left()
        await queue(0.06)
        return left

    assert simulated(scene()) == pytest.approx(0.05)


def test_the_clock_runs_again_for_one_whose_queueing_failed() -> None:
    async def scene() -> None:
        async with working_time(0.02):
            with pytest.raises(KeyError), queueing():
                raise KeyError
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        simulated(scene())


def test_what_is_left_is_known_while_the_clock_runs() -> None:
    async def scene() -> list[float]:
        found = [time_left()]
        async with working_time(60):
            found.append(time_left())
            with queueing():
                found.append(time_left())
            found.append(time_left())
        return [*found, time_left()]

    before, first, queued, second, after = simulated(scene())
    assert before == queued == after == math.inf
    assert first == second == 60


def test_waiting_for_a_slot_is_queueing_and_holding_it_is_not() -> None:
    async def hold(slots: asyncio.Semaphore, seconds: float) -> None:
        async with working_time(0.1), slot_of(slots):
            await asyncio.sleep(seconds)

    async def scene() -> list[Any]:
        slots = asyncio.Semaphore(1)
        work = [hold(slots, seconds) for seconds in (0.06, 0.06, 0.06, 5)]
        return await asyncio.gather(*work, return_exceptions=True)

    *held, late = simulated(scene())
    assert held == [None, None, None]
    assert isinstance(late, TimeoutError)


def test_each_task_has_a_clock_of_its_own() -> None:
    async def outcome(work: Callable[[], Any]) -> str:
        try:
            async with working_time(0.05):
                await work()
        except TimeoutError:
            return "out of time"
        return "done"

    async def scene() -> list[str]:
        return await asyncio.gather(outcome(lambda: queue(0.1)), outcome(lambda: asyncio.sleep(0.1)))

    assert simulated(scene()) == ["done", "out of time"]


def test_a_slot_comes_back_from_one_who_is_cancelled_while_queueing() -> None:
    async def scene() -> bool:
        slots = asyncio.Semaphore(1)
        async with slot_of(slots):
            waiting = asyncio.create_task(slot_of(slots).__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
        async with asyncio.timeout(1), slot_of(slots):
            return True

    assert simulated(scene())
