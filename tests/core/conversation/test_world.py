import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.conversation.world import AgentUnusable

Make = Callable[..., Any]


def test_a_message_is_delivered_within_the_limit_which_hears_of_it(make_world: Make) -> None:
    left: list[Exception] = [AgentFailure("busy", busy=True), AgentFailure("down")]
    inside: list[bool] = []

    class Slot:
        held = False
        heard: list[str] = []

        async def __aenter__(self) -> None:
            self.held = True

        async def __aexit__(self, *about: object) -> None:
            self.held = False

        def accepted(self) -> None:
            self.heard.append("accepted")

        def refused(self, retry_after: float | None) -> None:
            self.heard.append("refused")

    slot = Slot()

    async def send() -> AgentReply:
        inside.append(slot.held)
        if left:
            raise left.pop(0)
        return AgentReply("Salve")

    delivery = asyncio.run(make_world(agent_limit=slot).ask_agent(send))
    assert (delivery.reply.content, delivery.attempts, delivery.failures) == ("Salve", 3, 1)
    assert (inside, slot.held, slot.heard) == ([True] * 3, False, ["refused", "accepted"])


@pytest.mark.parametrize(("final", "failures"), [(False, 4), (True, 1)])
def test_an_agent_that_never_answers_is_unusable(make_world: Make, final: bool, failures: int) -> None:
    async def send() -> AgentReply:
        raise AgentFailure("down", final=final)

    with pytest.raises(AgentUnusable, match="down") as caught:
        asyncio.run(make_world().ask_agent(send))
    assert (caught.value.final, caught.value.failures) == (final, failures)


def test_cypher_may_use_the_session_only_where_there_is_one(make_world: Make, planned: Make) -> None:
    trial = planned().trial
    known = {"user": "alice", "trial": "E.chat.withheld.1", "agent_version": "marcus@1.1.0"}
    assert make_world().parameters(trial, None) == known
    assert make_world().parameters(trial, "s1") == known | {"session": "s1"}
