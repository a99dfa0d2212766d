import asyncio
import os
import threading

import pytest

from stoic_assets.adapters.process.shared_call import SharedCall

MORE_THAN_THREADS_OF_A_LOOP = 2 * ((os.cpu_count() or 1) + 4)


class Search:
    """Ends when it is told to, for the first time with an error if it is to fail; counts itself."""

    def __init__(self, fails: int = 0) -> None:
        self.end, self.count, self.fails = threading.Event(), 0, fails

    def __call__(self) -> int:
        self.count += 1
        number = self.count
        assert self.end.wait(20)
        if number <= self.fails:
            raise ValueError(number)
        return number


def test_all_who_ask_meanwhile_share_one_call_and_leave_the_threads_of_the_loop_alone() -> None:
    search = Search()
    call = SharedCall(search)

    async def main() -> list[int]:
        waiting = [asyncio.create_task(call.result()) for _ in range(MORE_THAN_THREADS_OF_A_LOOP)]
        await asyncio.sleep(0)
        async with asyncio.timeout(10):
            await asyncio.to_thread(search.end.set)
        return await asyncio.gather(*waiting)

    assert set(asyncio.run(main())) == {1}
    assert asyncio.run(call.result()) == 2


def test_a_call_that_fails_fails_for_all_who_wait_and_the_next_is_another() -> None:
    search = Search(fails=1)
    call = SharedCall(search)

    async def main() -> list[object]:
        waiting = [asyncio.create_task(call.result()) for _ in range(2)]
        await asyncio.sleep(0)
        search.end.set()
        return [*await asyncio.gather(*waiting, return_exceptions=True)]

    assert [str(fault) for fault in asyncio.run(main())] == ["1", "1"]
    assert asyncio.run(call.result()) == 2


def test_who_gives_up_gives_up_for_nobody_else() -> None:
    search = Search()
    call = SharedCall(search)

    async def main() -> int:
        first, second = (asyncio.create_task(call.result()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        search.end.set()
        return await second

    assert asyncio.run(main()) == 1


def test_neither_a_loop_nor_the_process_waits_for_a_call_at_its_end() -> None:
    search = Search()

    async def leave() -> None:
        waiting = asyncio.create_task(SharedCall(search).result())
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    assert not search.end.is_set()
    (thread,) = (each for each in threading.enumerate() if each.name.endswith("(_make)"))
    assert thread.daemon
    search.end.set()
    thread.join(10)
