"""A real HTTP server on loopback that stands for somebody else's: it notes every request, and misbehaves on demand."""

import asyncio
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from served import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass(frozen=True)
class Call:
    """One request; `kind` is the double's own word for what it is."""

    kind: str
    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        """The body as text, for searching."""
        return json.dumps(self.body, ensure_ascii=False)


Answer = Callable[[Call], "Response | dict[str, Any] | float | None"]
"""A response, a JSON body, seconds to wait before the usual answer, or None for the usual answer."""


@dataclass
class Fault:
    """What calls of a kind get instead of the usual answer: the next `times`, once `after` of them went well."""

    kind: str
    answer: Answer
    times: float = float("inf")
    after: int = 0


def status(code: int, headers: dict[str, str] | None = None, body: str = "no") -> Answer:
    """An HTTP error."""
    return lambda _: Response(body, code, headers)


def slow(seconds: float) -> Answer:
    """The usual answer, late."""
    return lambda _: seconds


def away_for(seconds: float) -> Answer:
    """Nobody is served from the first such call on, for so long: longer than attempts that begin 0.01 s apart last."""
    began: list[float] = []

    def answer(_: Call) -> Response | None:
        began.append(time.monotonic())
        return Response("nobody behind me", 503) if began[-1] - began[0] < seconds else None

    return answer


def hang(_: Call) -> float:
    """No answer in the time of any test."""
    return 3600.0


class Double:
    """Answers what `answer` says; the subclass knows the protocol."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.url = ""
        self._faults: list[Fault] = []
        self._server: uvicorn.Server

    def kind(self, method: str, path: str, body: Any) -> str:
        """What a request is."""
        return f"{method} {path}"

    def answer(self, call: Call) -> "Response | dict[str, Any]":
        """The usual answer."""
        return {}

    def when(self, kind: str, answer: Answer, times: float = float("inf"), after: int = 0) -> None:
        """Makes calls of a kind (or path) misbehave."""
        self._faults.append(Fault(kind, answer, times, after))

    def behave(self) -> None:
        """Ends all misbehaviour."""
        self._faults.clear()

    def of(self, kind: str) -> list[Call]:
        """The calls of a kind, in order."""
        return [call for call in self.calls if call.kind == kind]

    def await_calls(self, kind: str, count: int, caller: "subprocess.Popen[str]") -> None:
        """Returns once so many calls of a kind arrived from a running process."""
        while len(self.of(kind)) < count:
            assert caller.poll() is None, f"only {len(self.of(kind))} calls of {kind}: {caller.communicate()}"
            time.sleep(0.005)

    def end(self) -> None:
        """Stops listening and drops every connection, in 0.2 s."""
        self._server.should_exit = self._server.force_exit = True

    def die(self, call: Call) -> float:
        """Ends, as the answer to a call."""
        self.end()
        return hang(call)

    @contextmanager
    def running(self, port: int = 0) -> Iterator["Double"]:
        """Listening on the port, by default a free one, while the block runs."""
        app = Starlette(routes=[Route("/{path:path}", self._handle, methods=["GET", "PUT", "POST", "DELETE"])])
        with served(app, port=port, access_log=False) as (self.url, self._server):
            try:
                yield self
            finally:
                self.end()

    async def _handle(self, request: Request) -> Response:
        raw = await request.body()
        body = json.loads(raw) if raw else None
        kind = self.kind(request.method, request.url.path, body)
        call = Call(kind, request.method, request.url.path, dict(request.headers), body)
        self.calls.append(call)
        given = self._misbehaviour(call)
        if isinstance(given, float):
            await asyncio.sleep(given)
            given = None
        answer = self.answer(call) if given is None else given
        return JSONResponse(answer) if isinstance(answer, dict) else answer

    def _misbehaviour(self, call: Call) -> "Response | dict[str, Any] | float | None":
        for fault in self._faults:
            if fault.kind != call.kind or fault.times <= 0:
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            return fault.answer(call)
        return None
