"""A server that serves one connection at a time, and drops those for which its queue has no room."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def one_at_a_time(seconds: float, reply: bytes) -> AsyncIterator[str]:
    """Its address; each reply takes so many seconds."""
    loop = asyncio.get_running_loop()

    async def serve() -> None:
        while True:
            connection, _ = await loop.sock_accept(listener)
            with connection:
                await loop.sock_recv(connection, 65536)
                await asyncio.sleep(seconds)
                head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(reply)
                await loop.sock_sendall(connection, head + reply)

    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        listener.setblocking(False)
        serving = asyncio.create_task(serve())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        serving.cancel()
