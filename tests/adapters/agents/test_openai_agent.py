"""What an agent on chat completions is sent: the whole history, to the right path."""

import asyncio
from typing import Any

import pytest
from agent_calls import completion

from stoic_assets.adapters.agents.openai_agent import OpenAiAgent, completions_url
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import ConfigurationError


def test_the_whole_history_goes_with_every_message(service: Any) -> None:
    async def main() -> None:
        agent = OpenAiAgent(service.url + "/v1", "sage", api_key="meditations-12")
        session, other = await agent.open_session("Alice"), await agent.open_session("Bob")
        assert session != other
        await agent.send(session, "Alice", "Hello")
        await agent.send(other, "Bob", "Yo")
        await agent.send(session, "Alice", "What now?")
        assert await agent.object_context(session) is None

    service.replies(completion(content="Salve"))
    asyncio.run(main())
    assert [(seen.method, seen.path) for seen in service.seen] == [("POST", "/v1/chat/completions")] * 3
    assert service.seen[0].headers["authorization"] == "Bearer meditations-12"
    assert service.seen[2].body == {
        "model": "sage", "user": "Alice", "stream": False,
        "messages": [
            {"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Salve"},
            {"role": "user", "content": "What now?"},
        ],
    }
    assert service.seen[1].body["messages"] == [{"role": "user", "content": "Yo"}]


def test_a_forbidden_message_is_told_from_a_key_that_nobody_takes_any_more(service: Any) -> None:
    async def main() -> None:
        agent = OpenAiAgent(service.url, "sage")
        with pytest.raises(AgentFailure, match="answered 403"):
            await agent.send(await agent.open_session("Alice"), "Alice", "What now?")
        with pytest.raises(ConfigurationError, match=r"refuses the key \(403\)"):
            await agent.probe("Alice")

    service.replies({}, status=403)
    asyncio.run(main())
    assert service.seen[1].body["messages"] == [{"role": "user", "content": "Hello"}]


def test_an_agent_of_the_other_protocol_is_told_how_to_be_asked(service: Any) -> None:
    service.replies({}, status=404)
    with pytest.raises(AgentFailure, match=r"answered 404 to POST /v1/chat/completions: .*`protocol: openai`"):
        asyncio.run(OpenAiAgent(service.url, "sage").probe("Alice"))


def test_what_was_said_without_words_is_sent_back_with_some(service: Any) -> None:
    async def main() -> None:
        agent = OpenAiAgent(service.url, "sage")
        session = await agent.open_session("Alice")
        await agent.send(session, "Alice", "Remind me")
        await agent.send(session, "Alice", "Well?")
        agent.restore("s2", [Turn(0, "user", "Remind me"), Turn(1, "agent", "")])
        await agent.send("s2", "Alice", "Well?")

    service.replies(completion(content=None, tool_calls=[{"function": {"name": "remind", "arguments": "{}"}}]))
    asyncio.run(main())
    for seen in service.seen[1:]:
        assert seen.body["messages"][1] == {"role": "assistant", "content": "(empty)"}


def test_a_message_that_failed_is_not_part_of_the_history(service: Any) -> None:
    async def main() -> None:
        agent = OpenAiAgent(service.url, "sage")
        session = await agent.open_session("Alice")
        service.replies({}, status=500)
        with pytest.raises(AgentFailure):
            await agent.send(session, "Alice", "Hello")
        service.replies(completion(content="Salve"))
        await agent.send(session, "Alice", "Hello")

    asyncio.run(main())
    assert service.seen[0].body == service.seen[1].body


def test_a_restored_session_goes_on_after_the_last_reply(service: Any) -> None:
    async def main() -> None:
        agent = OpenAiAgent(service.url, "sage")
        agent.restore("old", [Turn(0, "user", "Hello"), Turn(1, "agent", "Salve"), Turn(2, "user", "Unanswered")])
        await agent.send("old", "Alice", "Unanswered")

    service.replies(completion(content="Vale"))
    asyncio.run(main())
    assert [message["content"] for message in service.seen[0].body["messages"]] == ["Hello", "Salve", "Unanswered"]


def test_a_session_that_is_restored_before_the_first_reply_begins_with_the_message_sent_again(service: Any) -> None:
    async def main() -> None:
        agent = OpenAiAgent(service.url, "sage")
        agent.restore("old", [Turn(0, "user", "Hi")])
        await agent.send("old", "Alice", "Hi")

    service.replies(completion(content="Salve"))
    asyncio.run(main())
    assert service.seen[0].body["messages"] == [{"role": "user", "content": "Hi"}]


def test_who_replied_before_the_interruption_and_hangs_up_on_the_next_message_is_at_fault(silent_url: str) -> None:
    async def main() -> None:
        agent = OpenAiAgent(silent_url, "sage")
        agent.restore("old", [Turn(0, "user", "Hello"), Turn(1, "agent", "Salve")])
        await agent.send("old", "Alice", "Crash")

    with pytest.raises(AgentFailure, match=r"Server disconnected$") as caught:
        asyncio.run(main())
    assert not caught.value.turned_away


def test_an_unknown_session_is_final(service: Any) -> None:
    async def main() -> None:
        await OpenAiAgent(service.url, "sage").send("nobody", "Alice", "Hello")

    with pytest.raises(AgentFailure) as caught:
        asyncio.run(main())
    assert caught.value.final
    assert service.seen == []


def test_a_server_that_redirects_to_its_path_with_a_slash_can_be_given_that_address(service: Any) -> None:
    asyncio.run(OpenAiAgent(f"{service.url}/v1/chat/completions/", "sage").probe("Alice"))
    assert [seen.path for seen in service.seen] == ["/v1/chat/completions/"]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("http://h", "http://h/v1/chat/completions"),
        ("http://h/", "http://h/v1/chat/completions"),
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://v1.h/api", "http://v1.h/api/v1/chat/completions"),
        ("http://h/v1beta/openai", "http://h/v1beta/openai/chat/completions"),
        ("http://h/agent/chat/completions", "http://h/agent/chat/completions"),
        ("http://h/v1/?tenant=stoa", "http://h/v1/chat/completions?tenant=stoa"),
        ("http://h/v1/chat/completions/", "http://h/v1/chat/completions/"),
        ("http://h/chat/completions/?tenant=stoa", "http://h/chat/completions/?tenant=stoa"),
    ],
)
def test_the_address_may_or_may_not_hold_the_path(given: str, asked: str) -> None:
    assert completions_url(given) == asked
