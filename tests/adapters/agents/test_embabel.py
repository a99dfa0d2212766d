import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.agents.embabel import EmbabelAgent
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.errors import ConfigurationError

T = TypeVar("T")
KEY = "meditations-12"


def asked(service: Any, ask: Callable[[EmbabelAgent], Awaitable[T]], **given: Any) -> T:
    async def main() -> T:
        return await ask(EmbabelAgent(service.url, "marcus", "gpt-4.1-mini", **given))

    return asyncio.run(main())


def test_a_conversation_on_the_wire(service: Any) -> None:
    async def talk(agent: EmbabelAgent) -> tuple[str, AgentReply, dict[str, Any] | None]:
        session = await agent.open_session("Alice")
        return session, await agent.send(session, "Alice", "Hello"), await agent.object_context(session)

    context = {"context": "c", "resources": [], "functions": []}
    service.replies(
        {"sessionId": "a/b ü?", "more": 1},
        {"sessionId": "a/b ü?", "chatbot": "Marcus", "message": {"content": "Salve", "role": "assistant"},
         "history": [],
         "events": [{"request": {"function": {"name": "remind"}, "arguments": {"day": 1}, "context": ""}}]},
        context,
    )
    session, reply, seen_context = asked(service, talk, api_key=KEY, headers={"X-Tenant": "stoa"})
    assert session == "a/b ü?"
    assert reply.content == "Salve"
    assert reply.events == ({"request": {"function": {"name": "remind"}, "arguments": {"day": 1}, "context": ""}},)
    assert seen_context == context
    assert [(seen.method, seen.path, seen.body) for seen in service.seen] == [
        ("PUT", "/api/v1/chat/sessions", {"user": "Alice", "chatbot": "marcus"}),
        ("PUT", "/api/v1/chat/messages",
         {"sessionId": "a/b ü?", "message": {"content": "Hello", "role": "user"}, "model": "gpt-4.1-mini"}),
        ("GET", "/api/v1/chat/objectContexts/a/b ü?", None),
    ]
    assert all(seen.headers["x-api-key"] == KEY and seen.headers["x-tenant"] == "stoa" for seen in service.seen)
    assert service.seen[0].headers["content-type"] == "application/json"


def test_a_session_whose_id_is_a_number_is_sent_as_one(service: Any) -> None:
    async def talk(agent: EmbabelAgent) -> str:
        session = await agent.open_session("Alice")
        await agent.send(session, "Alice", "Hello")
        return session

    service.replies({"sessionId": 7}, {"message": {"content": "Salve"}})
    assert asked(service, talk) == "7"
    assert service.seen[1].body["sessionId"] == 7


def test_an_agent_that_gives_one_session_to_several_trials_is_warned_about_once(
    service: Any, caplog: pytest.LogCaptureFixture
) -> None:
    service.replies(*({"sessionId": each} for each in ("a", "b", "a", "b", "b")))

    async def open_all(agent: EmbabelAgent) -> list[str]:
        return [await agent.open_session(f"user {number}") for number in range(5)]

    assert asked(service, open_all) == ["a", "b", "a", "b", "b"]
    assert caplog.messages == ["the agent gave session 'a' twice: trials that share it may hear each other"]


def test_a_forbidden_message_is_told_from_a_key_that_nobody_takes_any_more(service: Any) -> None:
    async def main() -> None:
        agent = EmbabelAgent(service.url, "marcus", "m")
        session = await agent.open_session("Alice")
        for ask in (agent.send(session, "Alice", "Hello"), agent.object_context(session)):
            with pytest.raises(AgentFailure, match="answered 403"):
                await ask
        with pytest.raises(ConfigurationError, match=r"refuses the key \(403\)"):
            await agent.probe("Alice")

    service.answers = [JSONResponse({"sessionId": "s"}), Response("expired", 403)]
    asyncio.run(main())
    assert service.seen[-1].body == service.seen[0].body


def test_without_a_key_no_key_is_sent(service: Any) -> None:
    service.replies({"sessionId": "s"})
    asked(service, lambda agent: agent.open_session("Alice"))
    assert "x-api-key" not in service.seen[0].headers


def test_an_own_header_replaces_ours_however_it_is_written(service: Any) -> None:
    service.replies({"sessionId": "s"})
    asked(service, lambda agent: agent.open_session("Alice"), api_key=KEY, headers={"x-api-key": "own"})
    assert service.seen[0].headers["x-api-key"] == "own"


def test_the_query_of_an_address_goes_with_every_call(service: Any) -> None:
    async def main() -> None:
        agent = EmbabelAgent(f"{service.url}/stoa/?code=k1", "marcus", "m")
        assert await agent.open_session("Alice") == "7"

    service.replies({"sessionId": 7})
    asyncio.run(main())
    assert [(seen.path, seen.query) for seen in service.seen] == [("/stoa/api/v1/chat/sessions", "code=k1")]


@pytest.mark.parametrize("error", ["session expired, log in again", {"message": "session expired", "code": 7}])
def test_the_agents_own_words_of_an_error_are_told(service: Any, error: Any) -> None:
    service.replies({"error": error})
    with pytest.raises(AgentFailure, match=r"sent a reply without `message\.content`: .*session expired"):
        asked(service, lambda agent: agent.send("s", "Alice", "Hello"))


@pytest.mark.parametrize("suffix", ["", "/", "/api/v1/chat", "/api/v1/chat/"])
def test_the_address_may_hold_the_path(service: Any, suffix: str) -> None:
    async def main() -> None:
        await EmbabelAgent(service.url + suffix, "marcus", "m").open_session("Alice")

    service.replies({"sessionId": "s"})
    asyncio.run(main())
    assert service.seen[0].path == "/api/v1/chat/sessions"


def test_an_agent_of_the_other_protocol_is_told_how_to_be_asked(service: Any) -> None:
    service.answers = [Response("404: Not Found", 404)]
    with pytest.raises(AgentFailure) as caught:
        asked(service, lambda agent: agent.open_session("Alice"))
    told = "answered 404 to PUT /api/v1/chat/sessions: Not Found; check its address, or set `target.protocol: openai`"
    assert str(caught.value).startswith(f"the agent at {service.url} {told}")


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        (None, ()),
        ([], ()),
        ([{"unheard_of": 1}, {"output": "done"}], ({"unheard_of": 1}, {"output": "done"})),
        (["text", 3], ({"event": "text"}, {"event": 3})),
        ({"output": "alone"}, ({"output": "alone"},)),
    ],
)
def test_events_of_any_shape_are_kept(service: Any, events: Any, kept: tuple[Any, ...]) -> None:
    service.replies({"message": {"content": "", "role": "assistant"}, "events": events})
    assert asked(service, lambda agent: agent.send("s", "Alice", "Hello")) == AgentReply("", kept)


@pytest.mark.parametrize(
    "answer", [{}, [], None, "Salve", {"message": None}, {"message": "Salve"}, {"message": {"role": "assistant"}}]
)
def test_a_reply_without_its_message_is_a_failure_that_may_be_tried_again(service: Any, answer: Any) -> None:
    service.replies(answer)
    with pytest.raises(AgentFailure, match=r"message\.content") as caught:
        asked(service, lambda agent: agent.send("s", "Alice", "Hello"))
    assert not caught.value.final


def test_an_empty_body_is_a_failure(service: Any) -> None:
    service.answers = [Response(b"", 200)]
    for ask in (lambda a: a.open_session("u"), lambda a: a.send("s", "u", "m"), lambda a: a.object_context("s")):
        with pytest.raises(AgentFailure):
            asked(service, ask)


@pytest.mark.parametrize("answer", [{}, {"sessionId": ""}, {"sessionId": None}, []])
def test_no_session_is_a_failure(service: Any, answer: Any) -> None:
    service.replies(answer)
    with pytest.raises(AgentFailure, match="sessionId"):
        asked(service, lambda agent: agent.open_session("Alice"))
