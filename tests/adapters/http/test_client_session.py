"""A server that says more than it is asked for: what arrives on an idle connection answers no later request."""

import asyncio
import contextlib
import json
import re
import threading
import time
from collections.abc import Iterator
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import pytest
from agent_calls import LIMIT
from model_calls import completion, model_at

from stoic_assets.adapters.agents.http_session import AgentHttp
from stoic_assets.adapters.messages.receiver import LIMIT as DELIVERY
from stoic_assets.adapters.messages.receiver import receiver
from stoic_assets.core.calls.chat import ChatRequest

FAREWELL = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"


@contextlib.contextmanager
def echo(more: bytes | None, after: float) -> Iterator[tuple[str, list[Any]]]:
    """Answers with the last message; so many seconds after, it says `more`, or the same. Also who connected to it."""
    callers = []

    class Server(StreamRequestHandler):
        def handle(self) -> None:
            callers.append(self.client_address)
            while head := b"".join(iter(self.rfile.readline, b"\r\n") if self.rfile.peek() else ()):
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                body = json.loads(self.rfile.read(int(length[1]) if length else 0))
                said = json.dumps(completion(body["messages"][-1]["content"])).encode()
                answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said
                self.wfile.write(answer)
                time.sleep(after)
                self.wfile.write(answer if more is None else more)

    with ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", callers
        server.shutdown()


@contextlib.asynccontextmanager
async def agent(url: str) -> Any:
    http = AgentHttp(url, {}, LIMIT, path_advice="")

    async def ask(words: str) -> str:
        answer = await http.call("POST", http.url, {"messages": [{"content": words}]})
        return str(answer["choices"][0]["message"]["content"])

    yield ask
    await http.close()


@contextlib.asynccontextmanager
async def model(url: str) -> Any:
    judge = model_at(url)

    async def ask(words: str) -> str:
        return (await judge.complete(ChatRequest("judge", "sage", ({"role": "user", "content": words},), 0.0))).text

    yield ask


@contextlib.asynccontextmanager
async def messages(url: str) -> Any:
    async with receiver("events", url, DELIVERY, 5, "") as service:

        async def ask(words: str) -> str:
            await service.take("trial 1", {"messages": [{"content": words}]})
            return words

        yield ask


async def conversation(connect: Any, url: str, pause: float) -> list[str]:
    answers = []
    async with connect(url) as ask:
        for words in ("Salve", "Vale"):
            answers.append(await ask(words))
            await asyncio.sleep(pause)
    return answers


@pytest.mark.parametrize("connect", [agent, model, messages])
@pytest.mark.parametrize(
    ("more", "after", "pause", "connections"),
    [(None, 0.1, 0.2, 2), (FAREWELL, 0.1, 0.2, 2), (b"", 0, 0.2, 1)], ids=["again", "408", "nothing"],
)  # fmt: skip
def test_what_arrives_unasked_is_no_answer(
    connect: Any, more: bytes | None, after: float, pause: float, connections: int
) -> None:
    with echo(more, after) as (url, callers):
        assert asyncio.run(conversation(connect, url, pause)) == ["Salve", "Vale"]
        assert len(callers) == connections
