"""Caches paid replies in one SQLite file for each agent version and server.

With one file for each reply, a fifth of the judging time went into files, and their number only grew.
"""

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary, finalize

from stoic_assets.adapters.disk.group_commit import GroupCommit
from stoic_assets.adapters.disk.sqlite_files import faults_named, open_shared
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.configuration.settings import Judging


class CachedModel:
    """Answers a cacheable request from `folder` where it can; equal requests at the same time share one call.

    Requests are equal only if `judging` has the same options for their model. With `fresh`, replies of earlier
    processes are not read, but replaced. In a file that was empty at first, only replies of this process are looked up:
    those that another process adds meanwhile are seen by the next one.
    """

    def __init__(self, ledger: Ledger, folder: Path, judging: Judging, fresh: bool = False) -> None:
        self._ledger, self._judging, self._fresh = ledger, judging, fresh
        self._replies = _Replies(folder / "replies.sqlite")
        self._commit, self._looking = GroupCommit(self._replies.write), GroupCommit(self._replies.look_up)
        self._own: set[str] = set()
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """A cached reply, marked `cached` and free of cost, or the model's. Raises as the ledger does."""
        if request.cacheable_as is None:
            return await self._ledger.complete(request)
        key = cache_key(request, self._judging.options_of([request.model]))
        async with self._busy.setdefault(key, asyncio.Lock()):
            kept = await self._kept(key, self._fresh or request.fresh)
            if kept is not None:
                self._ledger.note(request, kept)
                return kept
            reply = await self._ledger.complete(request)
            # At once: a reply that is not on disk when Ctrl-C comes would be paid for again.
            await asyncio.gather(self._commit.add((key, json.dumps(vars(reply)))), self._ledger.sync())
            self._own.add(key)
            return reply

    async def _kept(self, key: str, own_alone: bool) -> ChatReply | None:
        if (own_alone or self._replies.was_empty) and key not in self._own:
            return None
        # Not in the loop's thread, which would block while replies are being written.
        await self._looking.add(key)
        try:
            kept = ChatReply(**json.loads(self._replies.found.pop(key)))
        except (KeyError, ValueError, TypeError):
            return None  # none, or written by another release: it is requested again and replaced
        return ChatReply(
            kept.text, cost_usd=0.0, cached=True, finish_reason=kept.finish_reason, served_model=kept.served_model
        )


class _Replies:
    """The file, and what was `found` in it by key; `was_empty` when it was opened.

    Nothing that it knows refers to it, so that the file is closed with the last `CachedModel` and not by a collection
    of garbage, from which `uncollected` may have exempted it.
    """

    def __init__(self, file: Path) -> None:
        self._file, self._alone = file, Lock()
        self.found: dict[str, str] = {}
        self.was_empty = False

    def look_up(self, keys: Sequence[str]) -> None:
        """One query for each key, which takes as long in a large file as in a small one."""
        with self._storage() as replies:
            for key in keys:
                self.found |= replies.execute("select key, reply from replies where key = ?", [key])

    def write(self, kept: Sequence[tuple[str, str]]) -> None:
        with self._storage() as replies, replies:
            replies.executemany("insert or replace into replies values (?, ?)", kept)

    @contextmanager
    def _storage(self) -> Iterator[sqlite3.Connection]:
        with faults_named(self._file, ", it is only a cache"), self._alone:
            yield self._connection

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = open_shared(self._file, one_thread=False)
        finalize(self, connection.close)
        connection.execute("create table if not exists replies (key text primary key, reply text) without rowid")
        self.was_empty = not connection.execute("select 1 from replies limit 1").fetchall()
        return connection


def cache_key(request: ChatRequest, options: str) -> str:
    """SHA-256 over everything that determines the reply, including the `options` and the number of the sample."""
    parts = [request.model, options, request.temperature, request.schema, request.sample, request.cacheable_as]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
