"""Proxies for https that let nobody through."""

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest


@contextmanager
def proxy_that_answers(status: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A proxy for https that answers so to every CONNECT; this is the password with which the environment names it."""

    class Proxy(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        password = uuid.uuid4().hex
        monkeypatch.setenv("HTTPS_PROXY", f"http://ada:{password}@127.0.0.1:{server.server_address[1]}")
        yield password
        server.shutdown()
