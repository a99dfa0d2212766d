"""Reads replies of foreign services up to a size; compressed ones are unpacked in pieces, and no further."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from stoic_assets.core.errors import AttemptFailed

if TYPE_CHECKING:
    from aiohttp import ClientResponse

MIB = 1024 * 1024
"""Bytes."""
LARGEST_REPLY = 8 * MIB
"""Bytes, unpacked. The longest normal replies of models are far below one MiB; half a MB of gzip can hold 400 MB."""
_PIECE = 64 * 1024
_REFUSAL_SECONDS = 5.0
"""How long the body of a refusal is waited for."""


class ReplyTooLarge(AttemptFailed):
    """A reply is larger than the bound; a repeated one would be, too."""

    def __init__(self, largest: float) -> None:
        super().__init__(f"sends more than {largest / MIB:g} MiB", final=True)


async def whole_reply(response: "ClientResponse", largest: float = LARGEST_REPLY) -> bytes:
    """The bytes of a reply, at most `largest`.

    Raises `ReplyTooLarge` as soon as there are more, and what aiohttp raises; but not for a status other than 2xx,
    which tells enough: of such a reply the bytes may be only those that could be read.
    """
    body = bytearray()
    if 200 <= response.status < 300:
        await _read(response, largest, body)
    else:
        import aiohttp

        with suppress(aiohttp.ClientError, OSError, ReplyTooLarge):
            async with asyncio.timeout(_REFUSAL_SECONDS):
                await _read(response, largest, body)
    return bytes(body)


async def _read(response: "ClientResponse", largest: float, body: bytearray) -> None:
    """Appends what is read to `body`."""
    async for piece in response.content.iter_chunked(_PIECE):
        body += piece
        if len(body) > largest:
            raise ReplyTooLarge(largest)


def in_utf8(body: bytes, charset: str | None) -> bytes:
    """A text that is no UTF-8, recoded from the `charset` that it was declared to have; else, or if in vain, as it is.

    JSON is UTF-8 whatever is declared, but servers of old frameworks write, and declare, another charset.
    """
    try:
        body.decode()
    except UnicodeDecodeError:
        with suppress(LookupError, ValueError):
            return body.decode(charset or "utf-8").encode()
    return body
