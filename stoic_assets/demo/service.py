"""The demo agent over HTTP: the Embabel chat protocol, on loopback unless there is a key and another `--host`.

`python -m stoic_assets.demo.service --release 1.0.0 --port 0` serves one release over the graph that the NEO_*
variables name; AGENT_API_KEY, when set, is required of every caller.
"""

import argparse
import asyncio
import errno
import hmac
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any, TypeVar

import uvicorn
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.http.loopback_guard import LOOPBACK, guard
from stoic_assets.core.configuration.graph_address import subject_address
from stoic_assets.core.configuration.service_address import CHAT
from stoic_assets.core.errors import ConfigurationError, StoicError
from stoic_assets.core.text.documents import first_fault
from stoic_assets.demo.chat_service import ChatService, UnknownSession
from stoic_assets.demo.memory import Memory
from stoic_assets.demo.releases import RELEASES, Release, release_named
from stoic_assets.demo.wire import OpenSession, SendMessage

HOST = LOOPBACK[0]
_SHUTDOWN_SECONDS = 3

Answer = Callable[[Request], Awaitable[dict[str, Any]]]
Body = TypeVar("Body", bound=BaseModel)


def _app(service: ChatService, api_key: str | None, graph: Graph, host: str) -> Starlette:
    """The HTTP side of a chat service; closes `graph` at shutdown. With an `api_key` every chat call must have it.

    Requests whose Host header does not fit `host`, or that come from a foreign web page, are refused.
    """

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "up", "release": service.release.version})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await graph.aclose()

    routes = [*_chat_routes(service, api_key), Route("/health", health)]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=_FAULTS, middleware=guard(host))


def _chat_routes(service: ChatService, api_key: str | None) -> list[Route]:
    async def open_session(request: Request) -> dict[str, Any]:
        return await service.open(await _body(request, OpenSession))

    async def send_message(request: Request) -> dict[str, Any]:
        return await service.send(await _body(request, SendMessage))

    async def object_context(request: Request) -> dict[str, Any]:
        return await service.object_context(request.path_params["session_id"])

    return [
        _route("PUT", "sessions", open_session, api_key),
        _route("PUT", "messages", send_message, api_key),
        _route("GET", "objectContexts/{session_id}", object_context, api_key),
    ]


def _route(method: str, path: str, answer: Answer, api_key: str | None) -> Route:
    async def guarded(request: Request) -> JSONResponse:
        _refuse_wrong_key(request, api_key)
        return JSONResponse(await answer(request))

    return Route(f"{CHAT}/{path}", guarded, methods=[method])


def serve(release: str, port: int, graph: Graph, api_key: str | None = None, host: str = HOST) -> None:
    """Serves a release until SIGTERM or Ctrl-C; port 0 takes a free one.

    Prints its address as one line of JSON on stdout. Raises `ConfigurationError` (no such release, port taken, no such
    host, no key for a host other than loopback) or `ServiceUnreachable` (no graph).
    """
    name = f"[{host}]" if ":" in host and not host.startswith("[") else host  # as in URLs
    if name not in LOOPBACK and not api_key:
        raise ConfigurationError(f"listening on {name} needs a key that callers must send: set AGENT_API_KEY")
    asyncio.run(_serve(release_named(release), (name, port), graph, api_key))


async def _serve(release: Release, place: tuple[str, int], graph: Graph, api_key: str | None) -> None:
    memory = Memory(graph, release.dry_run)
    try:
        await graph.ping()
        await memory.prepare()
    except StoicError:
        await graph.aclose()
        raise
    app = _app(ChatService(release, memory), api_key, graph, place[0])
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", timeout_graceful_shutdown=_SHUTDOWN_SECONDS
    )
    with _listener(*place) as listener:
        url = f"http://{place[0]}:{listener.getsockname()[1]}"
        await _Announcing(config, {"url": url, "release": release.version}).serve(sockets=[listener])


class _Announcing(uvicorn.Server):
    """A server that reports on stdout when it is ready."""

    def __init__(self, config: uvicorn.Config, announcement: dict[str, str]) -> None:
        super().__init__(config)
        self._announcement = announcement

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        sys.stdout.write(json.dumps(self._announcement) + "\n")
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Shuts down gracefully, also when signalled repeatedly: that takes a few seconds at most."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


def _listener(name: str, port: int) -> socket.socket:
    try:
        return _bound(name, port)
    except (OSError, OverflowError, UnicodeError) as error:
        code, why = getattr(error, "errno", None), getattr(error, "strerror", None) or error
        is_of_port = isinstance(error, OverflowError) or code in (errno.EADDRINUSE, errno.EACCES)
        advice = f"choose another {'--port' if is_of_port else '--host'}"
        raise ConfigurationError(f"cannot listen on {name}:{port}: {why}; {advice}") from None


def _bound(name: str, port: int) -> socket.socket:
    """A socket bound to a host name or an address; an address of IPv6 has brackets."""
    family = socket.AF_INET6 if name.startswith("[") else socket.AF_INET
    # Only if the protocol TCP is given does asyncio switch off Nagle's algorithm, which costs 40 ms per reply.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name.strip("[]"), port))
    except BaseException:
        listener.close()
        raise
    return listener


async def _body(request: Request, model: type[Body]) -> Body:
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        first = first_fault(error)
        place = ".".join(str(step) for step in first["loc"])
        raise HTTPException(422, f"{place}: {first['msg']}" if place else first["msg"]) from None


def _refuse_wrong_key(request: Request, api_key: str | None) -> None:
    given = request.headers.get("X-API-KEY", "")
    if api_key and not hmac.compare_digest(given.encode(), api_key.encode()):
        raise HTTPException(401, "X-API-KEY is missing or wrong")


async def _http_fault(_: Request, fault: HTTPException) -> JSONResponse:
    return JSONResponse({"error": fault.detail}, fault.status_code, fault.headers)


async def _stoic_fault(_: Request, fault: StoicError) -> JSONResponse:
    """Answers 404 for an unknown session, and 503 for any other fault, which is the graph's."""
    return JSONResponse({"error": str(fault)}, 404 if isinstance(fault, UnknownSession) else 503)


_FAULTS: dict[Any, Any] = {HTTPException: _http_fault, StoicError: _stoic_fault}


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves according to the arguments and the environment; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stoic_assets.demo.service", description="the demo agent")
    parser.add_argument("--release", default=next(iter(RELEASES)), help=f"one of {', '.join(RELEASES)}")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--host", default=HOST, help="another than loopback's needs AGENT_API_KEY")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input does, as its writer ends")
    chosen = parser.parse_args(arguments)
    if chosen.until_eof:
        threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        address = subject_address(os.environ)
        if address is None:
            raise ConfigurationError("NEO_URI is not set: name a graph, or use `stoic agent`, which starts one")
        serve(chosen.release, chosen.port, Graph(address), os.environ.get("AGENT_API_KEY") or None, chosen.host)
    except StoicError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


def _end_with_input() -> None:
    # Not by sys.stdin, whose lock this thread would hold when Python ends for another reason, which then aborts.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises the signal again after its shutdown
    sys.exit(main())
