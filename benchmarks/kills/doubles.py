"""A model server and an agent that answer after a fixed time, only from the request, and record every call.

The agent repeats each message together with its user, who is named after the trial: so every request shows which trial
it belongs to, and a repeated request gets the same answer.
"""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.kills.attempts import of_whichever_attempt
from benchmarks.throughput.servers import Answer, Service, completion, instance, listening
from benchmarks.throughput.workload import SIGN_OFF

USER = re.compile(r"user-[\w.-]+")
LINES = (
    "Where would you begin with a talk that is due on Friday?",
    "Please write that down for me.",
    "What do you say to somebody who is nervous in front of a full room?",
    "And what if nobody claps?",
)
CALLS_OF_A_TRIAL = {"evaluator": len(LINES) + 1, "agent": len(LINES) + 1}
"""The evaluator says the lines and signs off; the agent hears the greeting and the lines."""


@dataclass(frozen=True)
class Call:
    """A request: `what` identifies it within its trial, `at` is when it came (monotonic seconds).

    A later attempt at the trial makes the same requests: what they cost was paid before.
    """

    kind: str
    user: str
    what: str
    at: float

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for a repetition of the call."""
        return self.kind, self.user, self.what


class Doubles:
    """Both servers, and the calls that they received."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.agent_url = self.model_url = ""
        self._users: dict[str, str] = {}

    def agent(self, method: str, path: str, body: bytes) -> Answer:
        """The Embabel chat protocol."""
        if method == "GET":
            session = path.rpartition("/")[2]
            note = {"id": "n1", "name": "a note", "labels": ["DomainNode", "Note"], "properties": {}}
            self._note("context", self._users.get(session, ""), "")
            return "context", json.dumps({"context": "", "resources": [note], "functions": []}).encode()
        sent = json.loads(body)
        if path.endswith("/sessions"):
            session = f"s{len(self._users)}"
            self._users[session] = sent["user"]
            self._note("session", sent["user"], "")
            return "session", json.dumps({"sessionId": session}).encode()
        user, text = self._users[sent["sessionId"]], sent["message"]["content"]
        self._note("agent", user, text)
        events = [{"request": {"function": {"name": "note"}, "arguments": {"text": text}}}, {"output": "noted"}]
        reply = {"message": {"content": f"I heard {user} say: {text}", "role": "assistant"}, "events": events}
        return "agent", json.dumps(reply).encode()

    def model(self, _method: str, _path: str, body: bytes) -> Answer:
        """Chat completions: a verdict where one is requested, else the user's next line."""
        request, found = json.loads(body), USER.search(body.decode())
        user = found[0] if found else ""
        if not request:  # it only checks the key
            return "tried", b"{}"
        if "response_format" not in request:
            # The greeting is in the request as the user model's own words, but was none of its lines.
            spoken = sum(message["role"] == "assistant" for message in request["messages"]) - 1
            self._note("evaluator", user, str(spoken))
            return "evaluator", completion(LINES[spoken] if spoken < len(LINES) else SIGN_OFF)
        wanted = request["response_format"]["json_schema"]
        self._note("judge", user, f"{request['model']} {wanted['name']}")
        return "judge", completion(json.dumps(instance(wanted["schema"])))

    def _note(self, kind: str, user: str, what: str) -> None:
        name, text = of_whichever_attempt(user), of_whichever_attempt(what)
        self.calls.append(Call(kind, name, text, time.monotonic()))


@contextmanager
def doubles(latency: float) -> Iterator[Doubles]:
    """Both servers on loopback while the block runs; a call takes `latency` seconds."""
    found, loop, ready = Doubles(), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        found.agent_url = await _listen(found.agent, latency)
        found.model_url = await _listen(found.model, latency)
        ready.set()

    thread = threading.Thread(target=lambda: (loop.run_until_complete(serve()), loop.run_forever()), daemon=True)
    thread.start()
    if not ready.wait(10):
        raise RuntimeError("the servers do not start")
    try:
        yield found
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _listen(answer: Callable[[str, str, bytes], Any], latency: float) -> str:
    _, port = await listening(Service(answer, latency, latency))
    return f"http://127.0.0.1:{port}"
