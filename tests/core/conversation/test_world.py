import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.retrying import AgentUnusable
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.jobs.job_entries import PARAMETERS

Make = Callable[..., Any]


def test_every_attempt_passes_the_limit_which_hears_of_it(make_world: Make) -> None:
    left: list[Exception] = [AgentFailure("busy", busy=True), AgentFailure("down")]
    inside: list[bool] = []

    class Limit:
        held = False
        heard: list[str] = []

        @asynccontextmanager
        async def request(self) -> AsyncIterator[None]:
            self.held = True
            try:
                yield
            except AgentFailure as failure:
                self.heard.append(str(failure))
                raise
            finally:
                self.held = False

    limit = Limit()

    async def send() -> AgentReply:
        inside.append(limit.held)
        if left:
            raise left.pop(0)
        return AgentReply("Salve")

    delivery = simulated(make_world(agent_limit=limit).ask_agent(send))
    assert (delivery.reply.content, delivery.attempts, delivery.failures) == ("Salve", 3, 1)
    assert (inside, limit.held, limit.heard) == ([True] * 3, False, ["busy", "down"])


@pytest.mark.parametrize(("final", "failures"), [(False, 4), (True, 1)])
def test_an_agent_that_never_answers_is_unusable(make_world: Make, final: bool, failures: int) -> None:
    async def send() -> AgentReply:
        raise AgentFailure("down", final=final)

    with pytest.raises(AgentUnusable, match="down") as caught:
        simulated(make_world().ask_agent(send))
    assert (caught.value.final, caught.value.failures) == (final, failures)


def test_an_attempt_may_take_all_that_its_job_allows(make_world: Make) -> None:
    async def send() -> AgentReply:
        await asyncio.sleep(0.05)
        return AgentReply("Salve")

    with pytest.raises(AgentUnusable, match=r"no reply within 0\.01 s"):
        simulated(make_world(turn_timeout_seconds=0.01, attempt_seconds=0.001).ask_agent(send))
    delivery = simulated(make_world(turn_timeout_seconds=0.01, attempt_seconds=60).ask_agent(send))
    assert (delivery.reply.content, delivery.failures) == ("Salve", 0)


def test_cypher_may_use_the_session_only_where_there_is_one(make_world: Make, planned: Make) -> None:
    trial = planned().trial
    known = {"user": "alice", "trial": "E.chat.withheld.1", "agent_version": "marcus@1.1.0"}
    assert make_world().parameters(trial, None) == known
    assert make_world().parameters(trial, "s1") == known | {"session": "s1"}
    assert set(PARAMETERS) == {*known, "session"}, "what the loader of jobs takes for filled"
