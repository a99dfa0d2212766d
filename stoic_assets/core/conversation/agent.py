"""The port to the agent under evaluation, whatever protocol it speaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import AttemptFailed


@dataclass(frozen=True)
class AgentReply:
    """What the agent said and the events it reports (function calls, system prompts, graph queries) in wire form."""

    content: str
    events: tuple[dict[str, Any], ...] = ()


class AgentFailure(AttemptFailed):
    """One attempt to reach the agent failed."""


class SentTooMuch(AgentFailure):
    """The agent's answer is larger than what we take; another one like it would be, too."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, final=True)


class Agent(Protocol):
    """One running agent. Each call is one attempt.

    Raises `AgentFailure`, or `ConfigurationError` for a wrong key.
    """

    async def open_session(self, user: str) -> str: ...

    async def send(self, session_id: str, user: str, message: str) -> AgentReply: ...

    async def probe(self, user: str) -> None:
        """Makes the request that every trial begins with, as cheaply as the protocol allows."""
        ...

    async def object_context(self, session_id: str) -> dict[str, Any] | None:
        """The agent's observable state, or None where the protocol has none."""
        ...

    def restore(self, session_id: str, turns: Sequence[Turn]) -> None:
        """Resumes a session of an earlier process, where Stoic Eval and not the agent keeps the history.

        `turns` are its journalled messages; a last message of the user without a reply will be sent again.
        """
        ...

    async def close(self) -> None:
        """Closes the connections of the running event loop."""
        ...
