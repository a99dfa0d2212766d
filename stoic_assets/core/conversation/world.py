"""All that a conversation needs from outside, and how it makes a request to the agent."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from stoic_assets.core.calls.chat import ChatModel
from stoic_assets.core.calls.queueing import queueing
from stoic_assets.core.calls.retrying import AgentUnusable, Delivery, Gate, deliver
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.conversation.agent import Agent
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import ServiceUnreachable
from stoic_assets.core.jobs.trial import Trial


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
    `attempt_seconds` is the job's time limit for one attempt of the agent, 0 where the job sets none. `outages`:
    one for each request that an outage of the agent made fail so far, in all jobs of the evaluation.
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
    outages: list[str] = field(default_factory=list)

    async def ask_agent(self, send: Callable[[], Awaitable[T]]) -> Delivery[T]:
        """Makes one request to the agent with the retries of `stoic.yml`. Raises `AgentUnusable` when none succeeds."""
        return await self._deliver(send, self.settings.limits.agent)

    async def ask_through_outage(
        self, send: Callable[[], Awaitable[T]], user: str, again: bool = True
    ) -> Delivery[T]:
        """As `ask_agent`, and makes the request `again` after an outage, once.

        Raises `ServiceUnreachable` if the agent turns everybody away, whatever the trial, and `ConfigurationError` if
        the key is refused by now.
        """
        try:
            return await self.ask_agent(send)
        except AgentUnusable as error:
            await self._refuse_outage(error, user, again)
            if not (again and error.may_be_outage):
                raise
            outage = error
        self.outages.append(str(outage))
        return (await self.ask_through_outage(send, user, again=False)).after(outage)

    async def _refuse_outage(self, error: AgentUnusable, user: str, first: bool) -> None:
        """Proves an outage by the request that every trial begins with.

        A request that was refused as busy for all of its time needs no such proof: a busy agent has not failed.
        """
        proven, first = error.failures == 0 and not error.cut_short, first or error.hung_up_alone or error.late
        if error.turned_away and (proven or await self._turns_away(user, first)):
            advised = error.says_how_to_go_on
            outage = ServiceUnreachable(str(error) if advised else f"{error}; {error.remedy}")
            outage.says_how_to_go_on = advised
            raise outage from None

    async def _turns_away(self, user: str, first: bool) -> bool:
        """Whether the agent serves nobody; waiting for it takes none of the trial's time.

        An agent that is gone and comes back, and not for the `first` time during one request, counts as such where
        another trial's message may bring it down each time. One that has answered anybody meanwhile is not gone if no
        connection was made in time: its queue was full.
        """
        began = asyncio.get_running_loop().time()
        try:
            with queueing():
                test = await self._deliver(lambda: self.agent.probe(user), self.settings.limits.agent.patient())
        except AgentUnusable as error:
            return error.turned_away and not (error.late and self.agent_limit.answered_since(began))
        return test.failures > 0 and not first

    async def _deliver(self, send: Callable[[], Awaitable[T]], limit: EndpointLimit) -> Delivery[T]:
        seconds = max(self.settings.conversations.turn_timeout_seconds, self.attempt_seconds)
        return await deliver(send, limit, seconds, self.agent_limit)

    def parameters(self, trial: Trial, session_id: str | None) -> dict[str, Any]:
        """The values of `$user`, `$trial`, `$agent_version` and, once opened, `$session` in the Cypher of a job."""
        known = {"user": trial.user, "trial": trial.played_as, "agent_version": self.agent_version}
        return known | ({"session": session_id} if session_id else {})
