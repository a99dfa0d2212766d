"""A server that accepts connections, and ends them without an answer."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any


@contextmanager
def server_that_hangs_up(on: str = "", reply: Any = None) -> Iterator[str]:
    """Its address. It hangs up on requests whose body contains these words; to others it replies."""

    class Server(StreamRequestHandler):
        def handle(self) -> None:
            head = b""
            while (line := self.rfile.readline()).strip():
                head += line
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            if on not in self.rfile.read(int(length[1]) if length else 0).decode():
                said = json.dumps(reply).encode()
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said)

    with ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
