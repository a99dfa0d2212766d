"""All that a conversation needs from outside, and how a message is delivered to the agent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from stoic_assets.core.chat import ChatModel
from stoic_assets.core.conversation.agent import Agent
from stoic_assets.core.conversation.evidence import Trial, Turn
from stoic_assets.core.conversation.subject_graph import SubjectGraph
from stoic_assets.core.retrying import Delivery, Gate, deliver
from stoic_assets.core.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class World:
    """The outside of a conversation. `now` gives UTC ISO 8601 text."""

    agent: Agent
    agent_limit: Gate
    graph: SubjectGraph
    model: ChatModel
    evaluator_model: str
    settings: Settings
    agent_version: str
    now: Callable[[], str]
    on_turn: Callable[[Trial, Turn], None] = lambda trial, turn: None

    async def ask_agent(self, send: Callable[[], Awaitable[T]]) -> Delivery[T]:
        """Asks the agent one thing with the retries of `stoic.yml`. Raises `AgentUnusable` when none succeeds."""
        seconds = self.settings.conversations.turn_timeout_seconds
        return await deliver(send, self.settings.limits.agent, seconds, self.agent_limit)

    def parameters(self, trial: Trial, session_id: str | None) -> dict[str, Any]:
        """What Cypher of a job may use as `$user`, `$trial`, `$agent_version` and `$session`."""
        known = {"user": trial.user, "trial": trial.trial_id, "agent_version": self.agent_version}
        return known | ({"session": session_id} if session_id else {})
