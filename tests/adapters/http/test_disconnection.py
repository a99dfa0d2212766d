import asyncio

import aiohttp
import pytest

from stoic_assets.adapters.http.disconnection import Disconnection
from stoic_assets.core.secrets.redaction import Redactor


def test_an_address_that_the_client_refuses_is_not_repeated() -> None:
    refused = aiohttp.InvalidURL("http://ada:secret@127.0.0.1:99999")
    assert "secret" not in Disconnection(refused, Redactor(())).words


def test_a_connection_that_closes_under_a_request_is_told_without_the_address() -> None:
    closed = aiohttp.ClientOSError(None, "Can not write request body for http://127.0.0.1:1/chat?code=abc")
    said = Disconnection(closed, Redactor(())).words
    assert said == "cannot be reached: the connection was closed while the request was sent"


def test_a_connection_that_breaks_while_tls_is_agreed_says_so() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.close()

    async def main() -> None:
        async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server, aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.ClientConnectorError) as caught:
                await session.get(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            assert Disconnection(caught.value, Redactor(())).words == "cannot be reached: ConnectionResetError"

    asyncio.run(main())
