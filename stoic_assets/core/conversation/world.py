"""All that a conversation needs from outside, and how it makes a request to the agent."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from stoic_assets.core.chat import ChatModel
from stoic_assets.core.conversation.agent import Agent
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import ServiceUnreachable
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.retrying import AgentUnusable, Delivery, Gate, deliver
from stoic_assets.core.settings import Settings


class SubjectGraph(Protocol):
    """The knowledge graph that the agent writes to.

    Both calls raise `QueryError` for a faulty statement and `InfrastructureError` for a fault of the graph.
    """

    async def run_script(self, script: str, parameters: Mapping[str, Any], seconds: float) -> None:
        """Runs every statement of a script, in order, within `seconds` in all."""
        ...

    async def observe(
        self, cypher: str, parameters: Mapping[str, Any], seconds: float, max_rows: int
    ) -> list[dict[str, Any]]:
        """The rows of a query that cannot write, in JSON-safe form."""
        ...


T = TypeVar("T")


@dataclass(frozen=True)
class World:
    """The services, settings and callbacks of a conversation. `now` gives UTC ISO 8601 text.

    `on_turn` receives every message of user and agent, those of seeds too, `on_query` the Cypher that the job runs.
    `attempt_seconds` is the job's time limit for one attempt of the agent, 0 where the job sets none.
    """

    agent: Agent
    agent_limit: Gate
    graph: SubjectGraph
    model: ChatModel
    evaluator_model: str
    settings: Settings
    agent_version: str
    now: Callable[[], str]
    on_turn: Callable[[Trial, Turn], None] = lambda trial, turn: None
    on_query: Callable[[Trial, str], None] = lambda trial, cypher: None
    attempt_seconds: float = 0.0

    async def ask_agent(self, send: Callable[[], Awaitable[T]]) -> Delivery[T]:
        """Makes one request to the agent with the retries of `stoic.yml`. Raises `AgentUnusable` when none succeeds."""
        seconds = max(self.settings.conversations.turn_timeout_seconds, self.attempt_seconds)
        return await deliver(send, self.settings.limits.agent, seconds, self.agent_limit)

    async def refuse_outage(self, error: AgentUnusable, user: str) -> None:
        """Raises `ServiceUnreachable` if a request failed because the agent turns everybody away, whatever the trial.

        To prove that, the request that every trial begins with is made once more. A request that was refused as busy
        for all of its time needs no such proof: a busy agent has not failed. Raises `ConfigurationError` if the key is
        refused by now.
        """
        proven = error.failures == 0 and not error.cut_short
        if error.turned_away and (proven or await self._turns_away(user)):
            advised = error.says_how_to_go_on
            outage = ServiceUnreachable(str(error) if advised else f"{error}; get it running again")
            outage.says_how_to_go_on = advised
            raise outage from None

    async def _turns_away(self, user: str) -> bool:
        try:
            await self.ask_agent(lambda: self.agent.probe(user))
        except AgentUnusable as error:
            return error.turned_away
        return False

    def parameters(self, trial: Trial, session_id: str | None) -> dict[str, Any]:
        """The values of `$user`, `$trial`, `$agent_version` and, once opened, `$session` in the Cypher of a job."""
        known = {"user": trial.user, "trial": trial.played_as, "agent_version": self.agent_version}
        return known | ({"session": session_id} if session_id else {})
