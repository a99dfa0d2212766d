"""An agent behind a chat-completions endpoint: we keep the sessions and send the whole history with every message."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from stoic_assets.adapters.agents.http_session import AgentHttp, Particular
from stoic_assets.adapters.agents.named_user import Naming, after_refusal, named
from stoic_assets.adapters.agents.unanswered import UnexpectedStatus
from stoic_assets.adapters.http.error_words import hidden_error
from stoic_assets.adapters.http.foreign_text import TooManyValues, parse_json
from stoic_assets.core.calls.chat import SPOKEN, worded
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.configuration.service_address import COMPLETIONS, FIRST_VERSION
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.secrets.redaction import Redactor

_log = logging.getLogger(__name__)


class OpenAiAgent:
    """One agent that is called by chat completions."""

    def __init__(
        self, url: str, model: str, *, api_key: str | None = None,
        headers: Mapping[str, str] | None = None, limit: AgentLimit | None = None, redactor: Redactor | None = None,
    ) -> None:
        key = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        advice = (
            f"check its address (up to {COMPLETIONS} where that is not below /v1), and whether it knows the model "
            f"{model!r}, or leave `protocol: openai` out if it speaks the protocol embabel; another address, protocol "
            "or --model needs a new evaluation"
        )
        sent = {**key, **(headers or {})}
        self._http = AgentHttp(url, sent, limit or AgentLimit(), path_advice=advice, redactor=redactor)
        self._url = completions_url(self._http.url)
        self._model, self._naming = model, Naming.WHOLE
        self._sessions: dict[str, list[dict[str, str]]] = {}

    async def open_session(self, user: str) -> str:
        """A new session; nothing is sent yet."""
        session_id = str(uuid4())
        self._sessions[session_id] = []
        return session_id

    async def send(self, session_id: str, user: str, message: str) -> AgentReply:
        """The agent's reply to one message. A message without a reply does not enter the history."""
        if session_id not in self._sessions:
            raise AgentFailure(f"the session {session_id} is unknown; it was not restored", final=True)
        history = self._sessions[session_id]
        asked = [*history, {"role": "user", "content": message}]
        reply = self._read(await self._complete(asked, user, Particular.WORDS))
        self._sessions[session_id] = [*asked, {"role": "assistant", "content": worded(reply.content)}]
        return reply

    async def probe(self, user: str) -> None:
        """Sends a greeting outside of any session: the protocol has nothing cheaper."""
        greeting = [{"role": "user", "content": "Hello"}]
        await self._complete(greeting, user, Particular.NOTHING)

    async def check_access(self) -> None:
        """Checks whether the agent would answer us, without a message."""
        await self._http.check_access(self._url)

    async def object_context(self, session_id: str) -> dict[str, Any] | None:
        """None: the protocol has no object context."""
        return None

    def restore(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Makes `turns` the history of the session, up to the agent's last reply: later turns are sent again."""
        history = [{"role": turn.role, "content": worded(turn.content)} for turn in turns]
        while history and history[-1]["role"] == "user":
            history.pop()
        self._http.has_answered |= bool(history)
        self._sessions[session_id] = history

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        await self._http.close()

    async def _complete(
        self, messages: Sequence[Mapping[str, str]], user: str, particular: Particular, naming: Naming | None = None
    ) -> Any:
        """Sends the messages and returns the answer. An error in it is raised as the status that it names would be.

        A name of the user that is refused is sent in the next way, and from then on in the one that was accepted.
        """
        naming = self._naming if naming is None else naming
        body = {"model": self._model, "messages": messages, **named(user, naming), "stream": False}  # some stream else
        try:
            answer = await self._http.call("POST", self._url, body, particular)
            if error := hidden_error(answer):
                self._http.refuse(error, particular)
        except UnexpectedStatus as refusal:
            if (following := after_refusal(refusal, user, naming)) is None:
                raise
            return await self._complete(messages, user, particular, following)
        if naming > self._naming:
            instead = "asking without it" if naming == Naming.NONE else "sending a hash of long ones"
            _log.warning("the agent does not take `user`: %s", instead)
            self._naming = naming
        return answer

    def _read(self, answer: Any) -> AgentReply:
        try:
            message = answer["choices"][0]["message"]
            calls = message.get("tool_calls") or _former_call(message)
            return AgentReply(_spoken(message), tuple(_event(call) for call in calls))
        except (KeyError, IndexError, TypeError, AttributeError):
            raise self._http.fault("did not answer with a chat completion", answer) from None


def completions_url(url: str) -> str:
    """The endpoint itself, from an address with or without `/v1` or `/chat/completions`.

    A slash after the latter stays: a server whose path ends with one redirects there.
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if path.endswith(COMPLETIONS):
        return url
    versioned = re.search(r"/v\d\w*(/|$)", path)
    return parts._replace(path=path + ("" if versioned else FIRST_VERSION) + COMPLETIONS).geturl()


def _spoken(message: Mapping[str, Any]) -> str:
    """The text of a reply: a string, or the parts of text in a list or alone; a refusal is a reply too."""
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, dict):
        content = [content]
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") in SPOKEN)
    return str(content)


def _former_call(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The single call of a server that still uses the protocol from before `tool_calls`."""
    function = message.get("function_call")
    return [{"function": function}] if function else []


def _event(call: dict[str, Any]) -> dict[str, Any]:
    """A tool call as the event that an Embabel agent would report; one that calls no function is kept as it is."""
    function = call.get("function")
    if not isinstance(function, dict):
        return call
    raw = function.get("arguments") or {}
    try:
        arguments = parse_json(raw.encode()) if isinstance(raw, str) else raw
    except (ValueError, TooManyValues):
        arguments = raw
    named = arguments if isinstance(arguments, dict) else {"value": arguments}
    return {"request": {"function": {"name": function.get("name")}, "arguments": named, "context": ""}}
