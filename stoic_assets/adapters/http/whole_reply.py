"""Reads replies of foreign services up to a size; compressed ones are unpacked in pieces, and no further."""

from typing import TYPE_CHECKING

from stoic_assets.core.errors import AttemptFailed

if TYPE_CHECKING:
    from aiohttp import ClientResponse

MIB = 1024 * 1024
"""Bytes."""
LARGEST_REPLY = 8 * MIB
"""Bytes, unpacked. The longest normal replies of models are far below one MiB; half a MB of gzip can hold 400 MB."""
LARGEST_HEADER = 64 * 1024
"""Bytes of one header of a reply. Debuggers and gateways send more than the 8,190 that aiohttp takes by default."""
_PIECE = 64 * 1024


class ReplyTooLarge(AttemptFailed):
    """A reply is larger than the bound; a repeated one would be, too."""

    def __init__(self, largest: float) -> None:
        super().__init__(f"sends more than {largest / MIB:g} MiB", final=True)


async def whole_reply(response: "ClientResponse", largest: float = LARGEST_REPLY) -> bytes:
    """The bytes of a reply, at most `largest`.

    Raises `ReplyTooLarge` as soon as there are more, and what aiohttp raises.
    """
    body = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        body += piece
        if len(body) > largest:
            raise ReplyTooLarge(largest)
    return bytes(body)
