"""Recording what an agent did, at the moment a trial ends: the next trial changes the graph."""

from collections.abc import Awaitable, Callable
from typing import Any

from stoic_assets.core.assertions.cypher_script import parameters_used
from stoic_assets.core.calls.retrying import AgentUnusable
from stoic_assets.core.conversation.agent import SentTooMuch
from stoic_assets.core.conversation.evidence import Observation
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import InfrastructureError, QueryError, StoicError
from stoic_assets.core.jobs.job import Job, reads_object_context
from stoic_assets.core.jobs.job_entries import CypherAssertion, ExpressionAssertion
from stoic_assets.core.jobs.trial import Trial

OBJECT_CONTEXT = "objectContext"
NO_SESSION = "no session was opened"
"""Why nothing about the session can be known."""


async def capture(
    trial: Trial, job: Job, session_id: str | None, world: World, failed: bool = False
) -> list[Observation]:
    """The raw results of the job's assertion queries, and the agent's object context where its protocol has one.

    A faulty query, or an agent that does not answer, becomes an observation with an error. Raises
    `InfrastructureError` when the graph itself is unavailable. Unless the agent `failed` before, raises it also when
    assertions need an object context that is larger than the limit, and raises what `World.ask_through_outage` raises.
    """
    observations = [
        await _query(key, assertion, trial, world, world.parameters(trial, session_id))
        for key, assertion in job.assertions_of(trial.condition)
        if isinstance(assertion, CypherAssertion)
    ]
    wanted = not failed and _is_wanted(job, trial)
    context = await _observed_context(session_id, trial.user, world, failed, wanted) if session_id else None
    return [*observations, context] if context else observations


async def _query(
    key: str, assertion: CypherAssertion, trial: Trial, world: World, known: dict[str, Any]
) -> Observation:
    bounds = world.settings.conversations
    used = parameters_used(assertion.cypher)
    parameters = {name: value for name, value in {**known, **assertion.parameters}.items() if name in used}
    rows, error = None, None
    try:
        if "session" in used - parameters.keys():
            raise QueryError(f"{NO_SESSION}, so that `$session` has no value")
        world.on_query(trial, assertion.cypher)
        rows = await world.graph.observe(
            assertion.cypher, parameters, bounds.query_timeout_seconds, bounds.query_rows
        )
    except QueryError as failure:
        error = str(failure)
    return Observation(key, "cypher", assertion.cypher, parameters, rows, error)


async def knows_session(session_id: str, world: World) -> bool:
    """Whether the agent still knows a session; assumed of an agent that cannot be reached."""
    try:
        await world.ask_agent(_fetching(session_id, world))
    except InfrastructureError:
        return True  # it sent more than the limit allows
    except AgentUnusable as failure:
        return not failure.forgets
    return True


def _is_wanted(job: Job, trial: Trial) -> bool:
    """Whether an assertion is about the object context."""
    of_trial = (assertion for _, assertion in job.assertions_of(trial.condition))
    return any(isinstance(each, ExpressionAssertion) and reads_object_context(each.expression) for each in of_trial)


async def _observed_context(
    session_id: str, user: str, world: World, failed: bool, wanted: bool
) -> Observation | None:
    """The object context, or why there is none. Raises as `capture` does."""
    fetch = _fetching(session_id, world)
    try:
        found = (await (world.ask_agent(fetch) if failed else world.ask_through_outage(fetch, user))).reply
    except InfrastructureError as fault:
        if wanted:
            raise InfrastructureError(f"assertions about the object context cannot be checked: {fault}") from None
        return _unseen(fault)
    except AgentUnusable as failure:
        return _unseen(failure)
    return None if found is None else Observation(OBJECT_CONTEXT, "object_context", "", result=found)


def _unseen(why: StoicError) -> Observation:
    return Observation(OBJECT_CONTEXT, "object_context", "", error=f"the object context could not be fetched: {why}")


def _fetching(session_id: str, world: World) -> Callable[[], Awaitable[dict[str, Any] | None]]:
    """The request for the object context.

    Raises `InfrastructureError` if it exceeds the limit, which is set by Stoic Eval and no fault of the agent.
    """

    async def fetch() -> dict[str, Any] | None:
        try:
            return await world.agent.object_context(session_id)
        except SentTooMuch as failure:
            raise InfrastructureError(str(failure)) from None

    return fetch
