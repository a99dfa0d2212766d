"""All that a conversation needs from outside, and how a message is delivered to the agent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from stoic_assets.core.chat import ChatModel
from stoic_assets.core.conversation.agent import Agent, AgentFailure, AgentReply
from stoic_assets.core.conversation.evidence import Trial, Turn
from stoic_assets.core.conversation.subject_graph import SubjectGraph
from stoic_assets.core.errors import StoicError
from stoic_assets.core.retrying import Delivery, Gate, deliver
from stoic_assets.core.settings import Settings


class AgentUnusable(StoicError):
    """The agent failed every attempt at one request. `failures` count against it; `final`: it refused outright."""

    def __init__(self, error: AgentFailure | None, failures: int) -> None:
        super().__init__(str(error) if error else "the agent gave no reply in time")
        self.failures, self.final = failures, bool(error and error.final)


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

    async def ask_agent(self, send: Callable[[], Awaitable[AgentReply]]) -> Delivery:
        """Delivers one message with the retries of `stoic.yml`. Raises `AgentUnusable` when none succeeds."""
        seconds = self.settings.conversations.turn_timeout_seconds
        delivery = await deliver(send, self.settings.limits.agent, seconds, self.agent_limit)
        if delivery.reply is None:
            raise AgentUnusable(delivery.error, delivery.failures)
        return delivery

    def parameters(self, trial: Trial, session_id: str | None) -> dict[str, Any]:
        """What Cypher of a job may use as `$user`, `$trial`, `$agent_version` and `$session`."""
        known = {"user": trial.user, "trial": trial.trial_id, "agent_version": self.agent_version}
        return known | ({"session": session_id} if session_id else {})
