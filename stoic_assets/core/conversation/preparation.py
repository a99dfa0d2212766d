"""The state a conversation starts from: setups on the subject graph, seeds in the agent's memory, an open session."""

from functools import partial

from stoic_assets.core.assertions.cypher_script import parameters_used
from stoic_assets.core.calls.queueing import queueing
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.conversation.world import World
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import Seed, seed_messages
from stoic_assets.core.jobs.trial import Trial


def leaves_traces(job: Job) -> bool:
    """Whether graph or agent may know the user of a trial before its conversation begins."""
    return bool(job.setup_cypher() or job.seeds)


async def prepare(trial: Trial, job: Job, world: World) -> str:
    """Runs setups, then seeds, and returns the id of the session for the conversation.

    The session is opened first only where a setup uses `$session`: a setup may empty the graph, sessions included.
    Setups have a separate time limit and use none of the trial's time, which is for agent and user.
    Raises `QueryError`, `InfrastructureError`, and what `World.ask_through_outage` raises.
    """
    setups, session = job.setup_cypher(), None
    if any("session" in parameters_used(script) for script in setups):
        session = await _open_session(trial.user, world)
    for script in setups:
        seconds = world.settings.conversations.query_timeout_seconds
        world.on_query(trial, script)
        with queueing():
            await world.graph.run_script(script, world.parameters(trial, session), seconds)
    for seed in job.seeds:
        await _plant(seed, trial, world)
    return session or await _open_session(trial.user, world)


async def _open_session(user: str, world: World) -> str:
    """A new session of the agent for this user."""
    return (await world.ask_through_outage(lambda: world.agent.open_session(user), user)).reply


async def _plant(seed: Seed, trial: Trial, world: World) -> None:
    """Sends a seed to the agent in a separate session."""
    session = await _open_session(trial.user, world)
    for number, message in enumerate(seed_messages(seed)):
        world.on_turn(trial, Turn(2 * number, "user", message))
        send = partial(world.agent.send, session, trial.user, message)
        reply = (await world.ask_through_outage(send, trial.user)).reply
        world.on_turn(trial, Turn(2 * number + 1, "agent", reply.content, events=reply.events))
