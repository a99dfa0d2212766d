import asyncio

from stoic_assets.adapters.process.loop_bound import LoopBound


def test_one_thing_for_each_loop_closed_with_it() -> None:
    log: list[str] = []

    def open_() -> str:
        log.append("open")
        return "thing"

    async def close(thing: str) -> None:
        await asyncio.sleep(0)
        log.append(f"close {thing}")

    bound = LoopBound(open_, close)

    async def use() -> None:
        assert await asyncio.gather(bound.get(), bound.get()) == ["thing", "thing"]

    asyncio.run(use())
    asyncio.run(use())
    assert log == ["open", "close thing", "open", "close thing"]


def test_closed_early_it_opens_anew() -> None:
    opened: list[int] = []
    closed: list[int] = []

    def open_() -> int:
        opened.append(len(opened))
        return opened[-1]

    async def close(thing: int) -> None:
        closed.append(thing)

    async def use() -> None:
        bound = LoopBound(open_, close)
        await bound.close()
        assert await bound.get() == 0
        await bound.close()
        assert closed == [0]
        assert await bound.get() == 1

    asyncio.run(use())
    assert closed == [0, 1]
