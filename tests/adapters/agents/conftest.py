"""A real HTTP server on loopback; each test sets its answers and reads what it was sent."""

import inspect
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """`answers` are used one after the other, the last one for ever; each is a response or makes one."""

    url: str
    seen: list[Seen] = field(default_factory=list)
    answers: list[Response | Callable[[Seen], Any]] = field(default_factory=list)

    async def handle(self, request: Request) -> Response:
        raw = await request.body()
        self.seen.append(Seen(request.method, request.scope["path"], dict(request.headers), json.loads(raw or b"null")))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not isinstance(answer, Response):
            answer = answer(self.seen[-1])
        return await answer if inspect.isawaitable(answer) else answer

    def replies(self, *bodies: Any, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers = [JSONResponse(body, status, headers=named) for body in bodies]


@pytest.fixture(scope="session")
def running_service() -> Iterator[Service]:
    listener = socket.create_server(("127.0.0.1", 0))
    service = Service(f"http://127.0.0.1:{listener.getsockname()[1]}")
    app = Starlette(routes=[Route("/{path:path}", service.handle, methods=["GET", "PUT", "POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield service
    server.should_exit = True
    thread.join(5)
    listener.close()


@pytest.fixture
def service(running_service: Service) -> Service:
    running_service.seen.clear()
    running_service.replies({})
    return running_service


@pytest.fixture
def dead_url() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture(autouse=True)
def no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
