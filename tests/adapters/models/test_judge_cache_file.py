"""The file of kept replies: on a disk, damaged, and used by several threads and processes at once."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from counted_calls import REQUEST, CountingModel, cached_model

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.disk.sqlite_files import open_shared
from stoic_assets.adapters.models import judge_cache
from stoic_assets.adapters.models.judge_cache import CachedModel
from stoic_assets.core.calls.chat import ChatReply


def test_what_a_kept_reply_cost_survives_a_power_cut(tmp_path: Path, disk: Any) -> None:
    """Else the ceiling would not count it: the reply itself is not paid for again."""
    asyncio.run(cached_model(CountingModel(), tmp_path / "a@1").complete(REQUEST))
    assert disk.keeps(tmp_path / "a@1.jsonl")


@pytest.mark.usefixtures("uncollected")
def test_the_file_is_closed_with_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []

    def open_file(file: Path, one_thread: bool) -> sqlite3.Connection:
        opened.append(open_shared(file, one_thread))
        return opened[-1]

    monkeypatch.setattr(judge_cache, "open_shared", open_file)
    asyncio.run(cached_model(CountingModel(), tmp_path / "a@1").complete(REQUEST))
    (connection,) = opened
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")


def test_equal_requests_at_the_same_time_share_one_call(tmp_path: Path) -> None:
    async def main(cached: CachedModel) -> list[ChatReply]:
        return await asyncio.gather(*[cached.complete(REQUEST) for _ in range(5)])

    for fresh in (False, True):
        model = CountingModel()
        replies = asyncio.run(main(cached_model(model, tmp_path / str(fresh), fresh)))
        assert [reply.cached for reply in replies] == [False, True, True, True, True]
        assert model.calls == 1


def test_a_question_costs_the_same_however_many_replies_are_kept(tmp_path: Path) -> None:
    """Steps of SQLite's machine, by the hundred: to read ten thousand keys would take hundreds of them."""
    cached, steps = cached_model(CountingModel(), tmp_path), []
    with closing(sqlite3.connect(tmp_path / "replies.sqlite")) as replies, replies:
        replies.execute("create table replies (key text primary key, reply text) without rowid")
        replies.executemany("insert into replies values (?, '{}')", [(str(number),) for number in range(10_000)])
    cached._replies._connection.set_progress_handler(lambda: steps.append(1), 100)
    asyncio.run(cached.complete(REQUEST))
    assert asyncio.run(cached.complete(REQUEST)).cached
    assert len(steps) < 20


def test_what_another_process_writes_does_not_hold_up_the_loop(tmp_path: Path) -> None:
    asyncio.run(cached_model(CountingModel(), tmp_path).complete(REQUEST))

    async def main() -> ChatReply:
        with closing(sqlite3.connect(tmp_path / "replies.sqlite")) as other:
            other.execute("begin exclusive")
            reply = asyncio.create_task(cached_model(CountingModel(), tmp_path).complete(REQUEST))
            for _ in range(5):
                await asyncio.sleep(0)
            other.rollback()
            return await reply

    assert asyncio.run(main()).cached


def test_a_damaged_cache_says_that_it_may_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database, but long enough to be taken for one" * 100)
    with pytest.raises(StorageError, match="may be deleted"):
        asyncio.run(cached_model(CountingModel(), tmp_path).complete(REQUEST))


def test_several_write_at_the_same_time(tmp_path: Path) -> None:
    def write(number: int) -> None:
        asyncio.run(cached_model(CountingModel(), tmp_path).complete(replace(REQUEST, sample=number)))

    with ThreadPoolExecutor(8) as writers:
        list(writers.map(write, range(40)))
    model = CountingModel()
    cached = [asyncio.run(cached_model(model, tmp_path).complete(replace(REQUEST, sample=n))).cached for n in range(40)]
    assert all(cached)
    assert model.calls == 0


def test_the_file_is_read_and_written_by_one_thread_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share a connection: a reader would be in the midst of what another thread writes."""
    using, at_once = Lock(), list[str]()

    class Watched(sqlite3.Connection):
        def execute(self, *asked: Any) -> sqlite3.Cursor:
            return self._alone(super().execute, *asked)

        def executemany(self, *asked: Any) -> sqlite3.Cursor:
            return self._alone(super().executemany, *asked)

        def _alone(self, ask: Callable[..., sqlite3.Cursor], sql: str, *values: Any) -> sqlite3.Cursor:
            if not using.acquire(blocking=False):
                at_once.append(sql)
                return ask(sql, *values)
            time.sleep(0.005)
            found = ask(sql, *values)
            using.release()
            return found

    async def one_after_another(cached: CachedModel, judge: int) -> list[bool]:
        requests = [replace(REQUEST, model=f"judge {judge}", sample=number % 4) for number in range(12)]
        return [(await cached.complete(request)).cached for request in requests]

    async def main() -> list[list[bool]]:
        cached = cached_model(CountingModel(), tmp_path)
        return await asyncio.gather(*[one_after_another(cached, judge) for judge in range(4)])

    asyncio.run(cached_model(CountingModel(), tmp_path).complete(REQUEST))
    monkeypatch.setattr(
        judge_cache, "open_shared", lambda file, one_thread: sqlite3.connect(
            file, check_same_thread=one_thread, factory=Watched
        )
    )
    assert asyncio.run(main()) == [[False] * 4 + [True] * 8] * 4
    assert at_once == []


def test_a_cache_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError):
        asyncio.run(cached_model(CountingModel(), tmp_path / "file").complete(REQUEST))
