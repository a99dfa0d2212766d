"""An outbox, and a real HTTP service on loopback."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from deliveries import Service
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stoic_assets.adapters.messages.outbox import Outbox


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[uvicorn.Server, list[Service]]]:
    current: list[Service] = [Service()]

    async def take(request: Request) -> Response:
        return await current[0].take(request)

    app = Starlette(routes=[Route("/hook/{secret}", take, methods=["POST"])])
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield running, current
    running.should_exit = True
    thread.join(10)


@pytest.fixture
def service(server: tuple[uvicorn.Server, list[Service]]) -> Service:
    running, current = server
    current[0] = Service()
    port = running.servers[0].sockets[0].getsockname()[1]
    current[0].url = f"http://127.0.0.1:{port}/hook/s3cret-path"
    return current[0]


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path)
