"""An outbox, and a real HTTP service on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from deliveries import Service
from served import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stoic_assets.adapters.messages.outbox import Outbox


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[Service]]]:
    current: list[Service] = [Service()]

    async def take(request: Request) -> Response:
        return await current[0].take(request)

    app = Starlette(routes=[Route("/{path:path}", take, methods=["POST"])])
    with served(app) as (url, _):
        yield url, current


@pytest.fixture
def service(server: tuple[str, list[Service]]) -> Service:
    url, current = server
    current[0] = Service()
    current[0].url = f"{url}/hook/s3cret-path"
    return current[0]


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path)
