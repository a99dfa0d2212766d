"""Replies that were paid for once, kept as files: one folder for each agent version, one file for each request."""

import asyncio
import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from weakref import WeakValueDictionary

from stoic_assets.adapters.files import StorageError, write_whole
from stoic_assets.core.chat import ChatModel, ChatReply, ChatRequest


class CachedModel:
    """Answers a cacheable request from `folder` where it can; equal requests at the same time share one call.

    With `fresh`, replies of earlier processes are not read, but replaced.
    """

    def __init__(self, model: ChatModel, folder: Path, fresh: bool = False) -> None:
        self._model, self._folder, self._fresh = model, folder, fresh
        self._written: set[str] = set()
        self._busy: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """A kept reply, marked `cached` and free of cost, or the model's."""
        if request.cacheable_as is None:
            return await self._model.complete(request)
        key = cache_key(request)
        async with self._busy.setdefault(key, asyncio.Lock()):
            kept = None if self._fresh and key not in self._written else self._read(key)
            if kept is not None:
                return kept
            reply = await self._model.complete(request)
            self._write(key, reply)
            return reply

    def _read(self, key: str) -> ChatReply | None:
        file = self._file(key)
        try:
            kept = ChatReply(**json.loads(file.read_bytes()))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"{file} cannot be read: {error.strerror}; check who may read STOIC_HOME") from None
        except (ValueError, TypeError):
            return None  # written by another release or damaged: it is asked for again and replaced
        return replace(kept, prompt_tokens=0, completion_tokens=0, cost_usd=0.0, latency_ms=0.0, cached=True)

    def _write(self, key: str, reply: ChatReply) -> None:
        write_whole(self._file(key), json.dumps(asdict(reply)))
        self._written.add(key)

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def cache_key(request: ChatRequest) -> str:
    """SHA-256 over everything that determines the reply, the number of the sample included."""
    parts = [request.model, request.temperature, request.schema, request.sample, request.cacheable_as]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
