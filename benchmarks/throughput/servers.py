"""A model server and an agent that take a fixed time for a call and hardly any CPU, to measure their client.

    python -m benchmarks.throughput.servers model|agent LATENCY BOOKKEEPING

Prints its port and serves on loopback until it is ended. `GET /tally` reports the calls so far. Times are in seconds;
`BOOKKEEPING` is that of calls which need no model: opening a session, reading the object context.
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any, cast

from benchmarks.throughput.workload import AGENT_REPLIES, JUDGE_WORDS, SIGN_OFF, USER_LINES

LENGTH = re.compile(rb"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
BOOKKEEPING = ("session", "context")
Answer = tuple[str, bytes]
"""The kind of a call, and the JSON of its answer."""


class Service:
    """Answers requests, and keeps the tally."""

    def __init__(self, answer: Callable[[str, str, bytes], Answer], latency: float, bookkeeping: float) -> None:
        self._answer, self._latency, self._bookkeeping = answer, latency, bookkeeping
        self._calls, self._bytes = Counter[str](), Counter[str]()
        self._in_flight = self._most_in_flight = 0
        self._first: float | None = None

    def take(self, method: str, path: str, body: bytes, reply: Callable[[bytes], None]) -> None:
        """Calls `reply` with the answer when its time has come."""
        if path == "/tally":
            reply(json.dumps(self.tally()).encode())
            return
        if path.endswith("/models"):  # it only checks the key
            reply(b'{"object": "list", "data": []}')
            return
        kind, answer = self._answer(method, path, body)
        self._first = self._first or time.time()
        self._calls[kind] += 1
        self._bytes[kind] += len(body)
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)

        def finish() -> None:
            self._in_flight -= 1
            reply(answer)

        seconds = self._bookkeeping if kind in BOOKKEEPING else self._latency
        asyncio.get_running_loop().call_later(seconds, finish)

    def tally(self) -> dict[str, Any]:
        """Calls and mean request bytes by kind, how many were under way at once, and when the first came."""
        return {
            "calls": dict(self._calls), "bytes": {kind: self._bytes[kind] // n for kind, n in self._calls.items()},
            "most_in_flight": self._most_in_flight, "first": self._first,
        }  # fmt: skip


class Connection(asyncio.Protocol):
    """The part of HTTP/1.1 that our clients use: requests with a length, one after the other."""

    def __init__(self, service: Service) -> None:
        self._service, self._received = service, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, rest = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        found = LENGTH.search(head)
        length = int(found[1]) if found else 0
        if len(rest) < length:
            return
        self._received = rest[length:]
        method, path, _ = head.split(b" ", 2)
        self._service.take(method.decode(), path.decode(), rest[:length], self._reply)

    def _reply(self, body: bytes) -> None:
        if not self._transport.is_closing():
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            self._transport.write(head.encode() + body)


def model_answers() -> Callable[[str, str, bytes], Answer]:
    """Chat completions: an instance of the schema where one is requested, else the user's next line."""
    verdicts: dict[str, bytes] = {}
    lines = [completion(line) for line in (*USER_LINES, SIGN_OFF)]

    def answer(_method: str, _path: str, body: bytes) -> Answer:
        request = json.loads(body)
        if "response_format" not in request:
            # The greeting is in the request as the user model's own words, but was none of its lines.
            spoken = sum(message["role"] == "assistant" for message in request["messages"]) - 1
            return "evaluator", lines[min(spoken, len(USER_LINES))]
        wanted = request["response_format"]["json_schema"]
        key = f"{wanted['name']} {len(wanted['schema']['properties'])}"
        if key not in verdicts:
            verdicts[key] = completion(json.dumps(instance(wanted["schema"])))
        return "judge", verdicts[key]

    return answer


def instance(schema: dict[str, Any], name: str = "") -> Any:
    """A value that fits a strict JSON Schema, as long as judges' answers are."""
    match schema["type"]:
        case "object":
            return {key: instance(part, key) for key, part in schema["properties"].items()}
        case "array":
            return [instance(schema["items"], name)] * max(2, schema.get("minItems", 0))
        case "number" | "integer":
            return 0.8
        case "boolean":
            return True
    return JUDGE_WORDS.get(name, JUDGE_WORDS["reason"])


def completion(text: str) -> bytes:
    """A chat completion with that content."""
    return json.dumps(
        {
            "id": "c", "object": "chat.completion", "created": 0, "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 4000, "completion_tokens": 100, "total_tokens": 4100},
        }
    ).encode()  # fmt: skip


def agent_answers() -> Callable[[str, str, bytes], Answer]:
    """The Embabel chat protocol: sessions, replies with the events behind them, an object context."""
    numbers, answered = count(1), Counter[str]()
    call = {"request": {"function": {"name": "note"}, "arguments": {"text": "as asked"}, "context": ""}}
    replies = [
        json.dumps({"message": {"content": text, "role": "assistant"}, "events": [call, {"output": "noted"}]}).encode()
        for text in AGENT_REPLIES
    ]
    note = {"id": "n1", "name": "as asked", "labels": ["DomainNode", "Note"], "properties": {"text": "as asked"}}
    context = json.dumps({"context": "bench", "resources": [note], "functions": []}).encode()

    def answer(method: str, path: str, body: bytes) -> Answer:
        if path.endswith("/sessions"):
            return "session", json.dumps({"sessionId": f"s{next(numbers)}"}).encode()
        if method == "GET":
            return "context", context
        session = json.loads(body)["sessionId"]
        answered[session] += 1
        return "agent", replies[(answered[session] - 1) % len(replies)].replace(b"{session}", session.encode())

    return answer


async def listening(service: Service) -> tuple[asyncio.Server, int]:
    """The service on loopback, and its port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(service), "127.0.0.1", 0, backlog=2048)
    return server, server.sockets[0].getsockname()[1]


async def serve(role: str, latency: float, bookkeeping: float) -> None:
    """Serves until the process is ended."""
    service = Service(model_answers() if role == "model" else agent_answers(), latency, bookkeeping)
    server, port = await listening(service)
    print(port, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])))
