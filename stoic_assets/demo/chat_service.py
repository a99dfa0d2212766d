"""The sessions of the demo agent, independent of the transport of messages.

Sessions are kept in memory; everything that is to be remembered is stored in the subject graph.
"""

import asyncio
import copy
import uuid
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from stoic_assets.core.errors import StoicError
from stoic_assets.demo.functions import events, metadata
from stoic_assets.demo.memory import Memory
from stoic_assets.demo.mentor import Mentor
from stoic_assets.demo.recollection import portrait
from stoic_assets.demo.releases import Release
from stoic_assets.demo.session import Session
from stoic_assets.demo.wire import OpenSession, SendMessage, message_response

Clock = Callable[[], datetime]


class UnknownSession(StoicError):
    """No session has this id (any more: sessions do not outlive the service)."""


def _utc_now() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


class ChatService:
    """The conversations of one running release. Messages of one user are processed one after the other."""

    def __init__(self, release: Release, memory: Memory, clock: Clock = _utc_now) -> None:
        self.release = release
        self._memory, self._clock = memory, clock
        self._mentor = Mentor(release)
        self._sessions: dict[str, Session] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def open(self, wish: OpenSession) -> dict[str, Any]:
        """Opens a session that knows what is stored about its user."""
        session = Session(uuid.uuid4().hex, wish.user, wish.chatbot, await self._memory.known(wish.user))
        self._sessions[session.id] = session
        return {"sessionId": session.id}

    async def send(self, wish: SendMessage) -> dict[str, Any]:
        """Replies to a message. If the graph cannot be written, the session stays unchanged, and it can be sent again.

        What had already been written is then written once more, under the same ids.
        """
        async with self._turns[self._session(wish.sessionId).user]:
            session = copy.deepcopy(self._session(wish.sessionId))
            now = self._clock()
            reply = self._mentor.answer(session, wish.message.content, now)
            await self._memory.carry_out(reply.calls, session.user, session.id, now)
            session.history.append({"role": "user", "content": wish.message.content})
            session.history.append({"role": "assistant", "content": reply.text})
            self._sessions[session.id] = session
        context = f"user {session.user}, session {session.id}"
        return message_response(session, reply.text, events(reply.calls, self.release.system_prompt, context))

    async def object_context(self, session_id: str) -> dict[str, Any]:
        """What the graph contains for the session's user, and the available functions."""
        session = self._session(session_id)
        resources = await self._memory.resources(session.user)
        return {"context": portrait(session), "resources": resources, "functions": metadata()}

    def _session(self, session_id: str) -> Session:
        if session_id not in self._sessions:
            raise UnknownSession(f"no session {session_id!r}: open one first, sessions do not outlive the service")
        return self._sessions[session_id]
