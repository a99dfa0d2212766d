"""An agent that speaks the Embabel chat protocol: it keeps the sessions, and its object context can be read."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from stoic_assets.adapters.agents.http_session import AgentHttp, Particular
from stoic_assets.adapters.http.foreign_text import part_of
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.configuration.service_address import CHAT
from stoic_assets.core.conversation.agent import AgentReply
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.secrets.redaction import Redactor

_log = logging.getLogger(__name__)

SHOWN = 80
"""The most characters of a session's id that a warning shows."""
ADVICE = (
    "check its address, or set `target.protocol: openai` if it speaks chat completions and not the protocol embabel; "
    "another address or protocol needs a new evaluation"
)
"""What to do where nobody speaks the protocol."""
IN_SESSION = Particular.WORDS | Particular.PLACE


class EmbabelAgent:
    """One chatbot of a chat service. `model` is the one that the agent is asked to use.

    Replies are read tolerantly: unknown fields are ignored, a history is not needed, events of unknown shape are kept.
    """

    def __init__(
        self, url: str, chatbot: str, model: str, *, api_key: str | None = None,
        headers: Mapping[str, str] | None = None, limit: AgentLimit | None = None, redactor: Redactor | None = None,
    ) -> None:
        key = {"X-API-KEY": api_key} if api_key else {}
        sent = {**key, **(headers or {})}
        self._http = AgentHttp(_service(url), sent, limit or AgentLimit(), path_advice=ADVICE, redactor=redactor)
        self._chatbot, self._model = chatbot, model
        self._opened: dict[str, str | int] = {}
        self._has_warned = False

    async def open_session(self, user: str) -> str:
        """Opens a session of `user` and returns the service's id of it."""
        body = {"user": user, "chatbot": self._chatbot}
        answer = await self._http.call("PUT", self._http.below(f"{CHAT}/sessions"), body)
        session_id = part_of(answer, "sessionId")
        if not isinstance(session_id, str | int) or isinstance(session_id, bool) or session_id == "":
            raise self._http.fault("opened no session: `sessionId` is missing", answer)
        return self._noted(session_id)

    def _noted(self, given: str | int) -> str:
        """The id as text. One that comes again is no fault of an agent without memory, or of one that was restarted."""
        session_id = str(given)
        if session_id in self._opened and not self._has_warned:
            shown, self._has_warned = session_id[:SHOWN], True
            _log.warning("the agent gave session %r twice: trials that share it may hear each other", shown)
        self._opened[session_id] = given
        return session_id

    async def send(self, session_id: str, user: str, message: str) -> AgentReply:
        """The agent's reply to one message."""
        given = self._opened.get(session_id, session_id)  # a number, if it came as one
        body = {"sessionId": given, "message": {"content": message, "role": "user"}, "model": self._model}
        answer = await self._http.call("PUT", self._http.below(f"{CHAT}/messages"), body, IN_SESSION)
        content = part_of(answer, "message", "content")
        if not isinstance(content, str):
            raise self._http.fault("sent a reply without `message.content`", answer)
        return AgentReply(content, _events(answer.get("events")))

    async def probe(self, user: str) -> None:
        """Opens a session that nobody uses."""
        await self.open_session(user)

    async def check_access(self) -> None:
        """Checks whether the service would answer us, without a session."""
        await self._http.check_access(self._http.below(f"{CHAT}/sessions"))

    async def object_context(self, session_id: str) -> dict[str, Any] | None:
        """The agent's object context as the service sends it."""
        url = self._http.below(f"{CHAT}/objectContexts/{quote(session_id, safe='')}")
        answer = await self._http.call("GET", url, particular=IN_SESSION)
        if not isinstance(answer, dict):
            raise self._http.fault("sent no object context")
        return answer

    def restore(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Does nothing: the service remembers its sessions."""

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        await self._http.close()


def _service(url: str) -> str:
    """The address of the chat service, from one with or without the path of its chat."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url  # is refused later, with our own error
    return parts._replace(path=parts.path.rstrip("/").removesuffix(CHAT)).geturl()


def _events(wire: Any) -> tuple[dict[str, Any], ...]:
    """The events of a reply; one that is not an object is kept under `event`."""
    events = wire if isinstance(wire, list) else [] if wire is None else [wire]
    return tuple(event if isinstance(event, dict) else {"event": event} for event in events)
