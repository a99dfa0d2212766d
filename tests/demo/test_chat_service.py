import asyncio
from datetime import datetime
from typing import Any

import pytest

from stoic_assets.core.errors import InfrastructureError
from stoic_assets.demo.chat_service import ChatService, UnknownSession
from stoic_assets.demo.memory import Memory
from stoic_assets.demo.releases import release_named
from stoic_assets.demo.wire import Message, OpenSession, SendMessage


class BreakingGraph:
    """Answers reads with nothing, and breaks at writes beyond the `most`; `written` are the parameters."""

    def __init__(self) -> None:
        self.most, self.at_once, self.most_at_once = 1000, 0, 0
        self.written: list[dict[str, Any]] = []

    async def write(self, cypher: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        if "RETURN" in cypher:
            return []
        if len(self.written) >= self.most:
            raise InfrastructureError("the graph is gone")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        self.written.append(parameters or {})
        return []


def send(session_id: str, text: str) -> SendMessage:
    return SendMessage(sessionId=session_id, message=Message(content=text))


async def opened(graph: BreakingGraph, now: datetime) -> tuple[ChatService, str]:
    """The agent over a graph, and the id of a session with it."""
    service = ChatService(release_named("1.0.0"), Memory(graph), lambda: now)
    return service, (await service.open(OpenSession(user="ada", chatbot="marcus")))["sessionId"]


def test_a_message_that_could_not_be_kept_can_be_sent_again(now):
    async def talk() -> None:
        graph = BreakingGraph()
        service, session = await opened(graph, now)
        wish = send(session, "Remind me to sing tomorrow at 9am")
        graph.most = 0
        with pytest.raises(InfrastructureError):
            await service.send(wish)
        graph.most = 1
        reply = await service.send(wish)
        assert reply["message"]["content"].startswith("Done.")
        assert [message["role"] for message in reply["history"]] == ["user", "assistant"]
        assert len(graph.written) == 1

    asyncio.run(talk())


def test_what_was_written_before_the_graph_broke_is_not_written_twice(now):
    async def talk() -> None:
        graph = BreakingGraph()
        service, session = await opened(graph, now)
        wish = send(session, "Remind me to sing tomorrow at 9am. Remind me to write tomorrow at 10am.")
        graph.most = 1
        with pytest.raises(InfrastructureError):
            await service.send(wish)
        graph.most = 4
        await service.send(wish)
        await service.send(send(session, "Note that the number is 5"))
        once, first, second, other = (parameters["id"] for parameters in graph.written)
        assert once == first
        assert len({first, second, other}) == 3

    asyncio.run(talk())


def test_messages_of_one_user_wait_for_each_other(now):
    async def talk() -> None:
        graph = BreakingGraph()
        service = ChatService(release_named("1.0.0"), Memory(graph), lambda: now)
        opened = [await service.open(OpenSession(user="ada", chatbot="marcus")) for _ in range(2)]
        wishes = [send(each["sessionId"], f"Note that the number is {n}") for n, each in enumerate(opened * 3)]
        replies = await asyncio.gather(*(service.send(wish) for wish in wishes))
        assert graph.most_at_once == 1
        assert max(len(reply["history"]) for reply in replies) == 6

    asyncio.run(talk())


def test_an_unknown_session_is_refused(now):
    service = ChatService(release_named("1.0.0"), Memory(BreakingGraph()), lambda: now)
    with pytest.raises(UnknownSession, match="no session 'nobody'"):
        asyncio.run(service.send(send("nobody", "Hello")))
    with pytest.raises(UnknownSession):
        asyncio.run(service.object_context("nobody"))
