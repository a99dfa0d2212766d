"""What is read of replies that break off, stall or do not end."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientPayloadError
from simulated_time import simulated

from stoic_assets.adapters.http import whole_reply as replies
from stoic_assets.adapters.http.whole_reply import ReplyTooLarge, whole_reply


class Reply:
    """A response whose body begins with "begin"; `rest` returns or raises what comes next."""

    def __init__(self, status: int, rest: Any) -> None:
        self.status, self.content, self._rest = status, self, rest

    async def iter_chunked(self, size: int) -> AsyncIterator[bytes]:
        yield b"begin"
        yield await self._rest()


async def _breaks_off() -> bytes:
    raise ClientPayloadError("Response payload is not completed")


async def _stalls() -> bytes:
    await asyncio.sleep(60)
    return b""


async def _goes_on() -> bytes:
    return b"!" * 10


def _read(status: int, rest: Any) -> bytes:
    reply: Any = Reply(status, rest)
    return simulated(asyncio.wait_for(whole_reply(reply, largest=10), 0.5))


@pytest.mark.parametrize("rest", [_breaks_off, _stalls])
@pytest.mark.parametrize("status", [302, 401, 429, 503])
def test_of_a_refusal_what_can_be_read_is_enough(status: int, rest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "_REFUSAL_SECONDS", 0.01)
    assert _read(status, rest) == b"begin"


def test_of_a_refusal_that_does_not_end_the_beginning_is_enough() -> None:
    assert _read(503, _goes_on).startswith(b"begin!")


@pytest.mark.parametrize(
    ("rest", "error"), [(_breaks_off, ClientPayloadError), (_stalls, TimeoutError), (_goes_on, ReplyTooLarge)]
)
def test_an_answer_is_read_as_a_whole_or_not_at_all(rest: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        _read(200, rest)
