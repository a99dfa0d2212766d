import asyncio
import threading
from collections.abc import Sequence

import pytest

from stoic_assets.adapters.disk.group_commit import GroupCommit


class Disk:
    """Stores groups, the first one as soon as `turn` is set; refuses what is called "bad"."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.turn = threading.Event()

    def store(self, items: Sequence[str]) -> None:
        self.turn.wait(5)
        if "bad" in items:
            raise OSError("no space")
        self.groups.append(list(items))


async def gathered(commit: GroupCommit[str], items: Sequence[str], disk: Disk) -> list[BaseException | None]:
    tasks = [asyncio.create_task(commit.add(item)) for item in items]
    await asyncio.sleep(0.01)
    assert not any(task.done() for task in tasks)
    disk.turn.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_what_comes_while_the_disk_is_busy_is_stored_together() -> None:
    disk = Disk()
    asyncio.run(gathered(GroupCommit(disk.store), ["a", "b", "c"], disk))
    assert disk.groups == [["a"], ["b", "c"]]


def test_a_group_fails_together_and_the_next_is_stored() -> None:
    disk = Disk()
    commit = GroupCommit(disk.store)
    outcomes = asyncio.run(gathered(commit, ["a", "bad", "c"], disk))
    assert [type(outcome) for outcome in outcomes] == [type(None), OSError, OSError]
    asyncio.run(commit.add("d"))
    assert disk.groups == [["a"], ["d"]]


def test_what_was_added_is_stored_though_nobody_waits_any_longer() -> None:
    disk = Disk()

    async def give_up() -> None:
        commit = GroupCommit(disk.store)
        first, second = (asyncio.create_task(commit.add(item)) for item in ("a", "b"))
        await asyncio.sleep(0)
        second.cancel()
        disk.turn.set()
        await first
        with pytest.raises(asyncio.CancelledError):
            await second
        await commit.add("c")

    asyncio.run(give_up())
    assert disk.groups[0] == ["a"]
    assert [item for group in disk.groups for item in group] == ["a", "b", "c"]


def test_who_gives_up_keeps_nobody_else_waiting() -> None:
    disk = Disk()

    async def give_up() -> None:
        commit = GroupCommit(disk.store)
        first, second, third = (asyncio.create_task(commit.add(item)) for item in ("a", "b", "c"))
        await asyncio.sleep(0)
        second.cancel()
        disk.turn.set()
        async with asyncio.timeout(5):
            await asyncio.gather(first, third)

    asyncio.run(give_up())
    assert disk.groups == [["a"], ["b", "c"]]


def test_a_loop_that_ends_early_still_stores_what_its_tasks_leave() -> None:
    disk = Disk()
    disk.turn.set()

    async def leave(commit: GroupCommit[str], item: str) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await commit.add(item)

    async def end_early() -> None:
        commit = GroupCommit(disk.store)
        tasks = [asyncio.create_task(leave(commit, item)) for item in ("a", "b", "c")]
        await asyncio.sleep(0)
        assert len(tasks) == 3

    asyncio.run(end_early())
    assert sorted(item for group in disk.groups for item in group) == ["a", "b", "c"]


def test_what_was_added_is_stored_though_the_loop_is_ending() -> None:
    disk, complaints = Disk(), []

    async def leave() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        commit = GroupCommit(disk.store)
        for item in ("a", "b"):
            leaving.append(asyncio.create_task(commit.add(item)))
        await asyncio.sleep(0)
        threading.Timer(0.1, disk.turn.set).start()

    leaving: list[asyncio.Task[None]] = []
    asyncio.run(leave())
    assert disk.groups == [["a"], ["b"]]
    assert not complaints
