"""Replies of services that are not ours, read up to a size; what is packed is unpacked bit by bit, and no further."""

from typing import TYPE_CHECKING

from stoic_assets.core.errors import AttemptFailed

if TYPE_CHECKING:
    from aiohttp import ClientResponse

LARGEST_REPLY = 8 * 1024 * 1024
"""Bytes, unpacked. The longest honest replies are far below one MiB, and half a MB of gzip can hold 400 MB."""
_PIECE = 64 * 1024


class ReplyTooLarge(AttemptFailed):
    """A reply is larger than `LARGEST_REPLY`; another one like it would be, too."""

    def __init__(self) -> None:
        super().__init__(f"sends more than {LARGEST_REPLY // 1024**2} MiB", final=True)


async def whole_reply(response: "ClientResponse") -> bytes:
    """The bytes of a reply. Raises `ReplyTooLarge` as soon as there are more, and what aiohttp raises."""
    body = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        body += piece
        if len(body) > LARGEST_REPLY:
            raise ReplyTooLarge
    return bytes(body)
