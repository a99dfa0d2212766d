"""Agents under evaluation as anybody might write them: one on Embabel's protocol, one on chat completions."""

import json
from collections.abc import Callable
from typing import Any

from double import Call, Double
from starlette.responses import JSONResponse, Response

CHAT = "/api/v1/chat"
KINDS = {"sessions": "session", "messages": "message", "objectContexts": "context"}
Told = Callable[[str, str], "dict[str, Any] | None"]
"""Gets user and text of a message; may return the resource that it makes the agent keep."""


class EmbabelAgent(Double):
    """Holds sessions, repeats what it is told, and keeps what `on_message` makes of it in its object context."""

    def __init__(self, key: str | None = None, on_message: Told = lambda user, text: None) -> None:
        super().__init__()
        self.key, self.on_message = key, on_message
        self.users: dict[str, str] = {}
        self.resources: dict[str, list[dict[str, Any]]] = {}

    def kind(self, method: str, path: str, body: Any) -> str:
        return KINDS.get(path.removeprefix(CHAT).split("/")[1], path) if path.startswith(CHAT) else path

    def answer(self, call: Call) -> "Response | dict[str, Any]":
        if self.key and call.headers.get("x-api-key") != self.key:
            return Response("who are you?", 401)
        expected = {"session": "PUT", "message": "PUT", "context": "GET"}
        if expected.get(call.kind) != call.method:
            return Response("no such route", 404)
        return getattr(self, f"_{call.kind}")(call)

    def told(self, session: str | None = None) -> list[str]:
        """The messages that arrived, of one session or of all."""
        sent = [call.body for call in self.of("message")]
        return [body["message"]["content"] for body in sent if session in (None, body["sessionId"])]

    def _session(self, call: Call) -> "Response | dict[str, Any]":
        assert set(call.body) == {"user", "chatbot"}
        session = f"session-{len(self.users) + 1}"
        self.users[session], self.resources[session] = call.body["user"], []
        return {"sessionId": session}

    def _message(self, call: Call) -> "Response | dict[str, Any]":
        session, said = call.body["sessionId"], call.body["message"]
        assert said["role"] == "user"
        assert call.body["model"]
        if session not in self.users:
            return Response("unknown session", 404)
        events: list[dict[str, Any]] = [{"systemPrompt": "You are a helpful bot"}]
        kept = self.on_message(self.users[session], said["content"])
        if kept:
            self.resources[session].append(kept)
            request = {"function": {"name": "remember"}, "arguments": {"what": kept["name"]}, "context": ""}
            events += [{"request": request}, {"output": "remembered"}]
        reply = {"content": f"I heard: {said['content']}", "role": "assistant"}
        return {
            "sessionId": session, "chatbot": "My Agent", "message": reply, "history": [said, reply], "events": events,
            "newField": "ignored",
        }

    def _context(self, call: Call) -> "Response | dict[str, Any]":
        session = call.path.rsplit("/", 1)[1]
        return {"context": "a context", "resources": self.resources[session], "functions": []}


class ChatAgent(Double):
    """Answers chat completions, with a tool call in the reply to anything that holds the word `reminder`."""

    def __init__(self, key: str | None = None) -> None:
        super().__init__()
        self.key = key

    def kind(self, method: str, path: str, body: Any) -> str:
        return "message" if path == "/v1/chat/completions" else path

    def answer(self, call: Call) -> "Response | dict[str, Any]":
        if self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            return JSONResponse({"error": {"message": "bad key"}}, 401)
        if call.kind != "message":
            return Response("no such route", 404)
        said = call.body["messages"][-1]["content"]
        message: dict[str, Any] = {"role": "assistant", "content": f"I heard: {said}"}
        if "reminder" in said:
            arguments = json.dumps({"at": "09:00"})
            message["tool_calls"] = [
                {"id": "t1", "type": "function", "function": {"name": "createReminder", "arguments": arguments}}
            ]
        return {"id": "a", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}
