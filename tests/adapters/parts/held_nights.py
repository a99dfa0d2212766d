"""Nights of agents in a workplace."""

import asyncio
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from stoic_assets.adapters.evaluation.nights import HeldNight, hold_night
from stoic_assets.adapters.workplace import Workplace

NIGHT = "2026-11-21"
JOB = """
target: {user: "u-{trial}", chatbot: marcus}
tasks: [{task: Say hello, acceptanceCriteria: It greets}]
greetings: [Hello]
maxTurns: 2
repeats: 3
"""
SECRET = "sk-0123456789abcdefghijklmn"
Agent = Callable[..., str]


def handler(version: str, refuses: bool, said: list[str]) -> type[BaseHTTPRequestHandler]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({"context": "", "resources": [], "functions": []})

        def do_PUT(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "message" in body:
                said.append(version)
            self._answer({"sessionId": "s", "message": {"role": "assistant", "content": "Hello"}, "events": []})

        def _answer(self, document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            self.send_response(401 if refuses else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None: ...

    return Answers


def hold(workplace: Workplace, name: Any = "first", versions: tuple[str, ...] = ()) -> HeldNight:
    return asyncio.run(hold_night(workplace, NIGHT, name, "run-1", versions))
