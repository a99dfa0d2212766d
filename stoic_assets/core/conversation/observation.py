"""The look at what an agent did, taken the moment a trial ends: the next trial changes the graph."""

from typing import Any

from stoic_assets.core.assertions.cypher_script import parameters_used
from stoic_assets.core.conversation.evidence import Observation, Trial
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import QueryError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import CypherAssertion
from stoic_assets.core.retrying import AgentUnusable

OBJECT_CONTEXT = "objectContext"
NO_SESSION = "no session was opened"
"""Why what is about the session cannot be told."""


async def capture(
    trial: Trial, job: Job, session_id: str | None, world: World, failed: bool = False
) -> list[Observation]:
    """The raw results of the job's assertion queries, and the agent's object context where its protocol has one.

    A query that fails by its own fault, or an agent that does not answer, becomes an observation with an error.
    Raises `InfrastructureError` when the graph itself is gone, and what `World.refuse_outage` raises unless the agent
    `failed` anyway.
    """
    observations = [
        await _query(key, assertion, trial, world, world.parameters(trial, session_id))
        for key, assertion in job.assertions_of(trial.condition)
        if isinstance(assertion, CypherAssertion)
    ]
    context = await _observed_context(session_id, trial.user, world, failed) if session_id else None
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
    """Whether the agent still knows a session. One that cannot be reached is not taken to have forgotten it."""
    try:
        await _object_context(session_id, world)
    except AgentUnusable as failure:
        return failure.turned_away or not failure.final
    return True


async def _observed_context(session_id: str, user: str, world: World, failed: bool) -> Observation | None:
    try:
        found = await _object_context(session_id, world)
    except AgentUnusable as failure:
        if not failed:
            await world.refuse_outage(failure, user)
        problem = f"the object context could not be fetched: {failure}"
        return Observation(OBJECT_CONTEXT, "object_context", "", error=problem)
    return None if found is None else Observation(OBJECT_CONTEXT, "object_context", "", result=found)


async def _object_context(session_id: str, world: World) -> dict[str, Any] | None:
    return (await world.ask_agent(lambda: world.agent.object_context(session_id))).reply
