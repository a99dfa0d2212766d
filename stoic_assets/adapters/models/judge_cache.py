"""Replies that were paid for once, kept in one SQLite file for each agent version and server.

A file for each reply took a fifth of the time of judging, and never stopped growing in number.
"""

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from weakref import WeakValueDictionary, finalize

from stoic_assets.adapters.files import StorageError, make_folder
from stoic_assets.adapters.group_commit import GroupCommit
from stoic_assets.core.chat import ChatModel, ChatReply, ChatRequest

_PATIENCE = 30.0
"""Seconds to wait while another process writes."""


class CachedModel:
    """Answers a cacheable request from `folder` where it can; equal requests at the same time share one call.

    With `fresh`, replies of earlier processes are not read, but replaced. What another process adds meanwhile is seen
    by the next one only.
    """

    def __init__(self, model: ChatModel, folder: Path, fresh: bool = False) -> None:
        self._model, self._file, self._fresh = model, folder / "replies.sqlite", fresh
        self._commit = GroupCommit(self._write)
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """A kept reply, marked `cached` and free of cost, or the model's. Raises `StorageError`."""
        if request.cacheable_as is None:
            return await self._model.complete(request)
        key = cache_key(request)
        async with self._busy.setdefault(key, asyncio.Lock()):
            kept = self._read(key) if key in self._known else None
            if kept is not None:
                return kept
            reply = await self._model.complete(request)
            await self._commit.add((key, json.dumps(vars(reply))))
            self._known.add(key)
            return reply

    @cached_property
    def _known(self) -> set[str]:
        """The keys of all replies. To look for a new one in the file would wait, with the whole loop, for replies that
        are being written: 0.3 of 2 seconds of judging.
        """
        if self._fresh:
            return set()
        with self._storage() as replies:
            return {key for (key,) in replies.execute("select key from replies")}

    def _read(self, key: str) -> ChatReply | None:
        with self._storage() as replies:
            row = replies.execute("select reply from replies where key = ?", [key]).fetchone()
        try:
            kept = ChatReply(**json.loads(row[0])) if row else None
        except (ValueError, TypeError):
            return None  # written by another release: it is asked for again and replaced
        return kept and replace(
            kept, prompt_tokens=0, completion_tokens=0, cost_usd=0.0, latency_ms=0.0, cached=True
        )

    def _write(self, kept: Sequence[tuple[str, str]]) -> None:
        with self._storage() as replies, replies:
            replies.executemany("insert or replace into replies values (?, ?)", kept)

    @contextmanager
    def _storage(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._replies
        except (sqlite3.Error, OSError) as error:
            advice = "free space or check who may write there; a damaged file may be deleted, it is only a cache"
            raise StorageError(f"{self._file} cannot be used: {error}; {advice}") from None

    @cached_property
    def _replies(self) -> sqlite3.Connection:
        make_folder(self._file.parent)
        connection = sqlite3.connect(self._file, timeout=_PATIENCE, check_same_thread=False)
        finalize(self, connection.close)
        # No write-ahead log: several machines may share the folder, which that does not bear.
        connection.execute("pragma journal_mode = truncate")
        connection.execute("create table if not exists replies (key text primary key, reply text) without rowid")
        return connection


def cache_key(request: ChatRequest) -> str:
    """SHA-256 over everything that determines the reply, the number of the sample included."""
    parts = [request.model, request.temperature, request.schema, request.sample, request.cacheable_as]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
