"""An app behind a real HTTP server on loopback, in a thread of the test's process."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def served(app: ASGIApp, **options: Any) -> Iterator[tuple[str, uvicorn.Server]]:
    """The app's address and its server, which listens while the block runs; `options` are uvicorn's."""
    usual = {"port": 0, "log_level": "critical", "lifespan": "off", "ws": "none", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(app, **usual | options))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.005)
    scheme = "https" if "ssl_keyfile" in options else "http"
    try:
        yield f"{scheme}://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", server
    finally:
        server.should_exit = True
        thread.join(10)
