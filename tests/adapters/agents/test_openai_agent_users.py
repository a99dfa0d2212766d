"""An agent is told who speaks, as long as it takes the name."""

import asyncio
import hashlib
import logging
from typing import Any

import pytest
from agent_calls import completion
from starlette.responses import JSONResponse

from stoic_assets.adapters.agents.openai_agent import OpenAiAgent
from stoic_assets.core.conversation.agent import AgentFailure

LONG = "guest-" + "x" * 78
SHA = hashlib.sha256(LONG.encode()).hexdigest()
TOO_LONG = {"message": "Invalid 'user': string too long. Expected a string with maximum length 64", "param": "user"}


def users_sent(service: Any, *users: str) -> list[str | None]:
    """What each request named, while one agent is asked once for each of these users."""

    async def main() -> None:
        agent = OpenAiAgent(service.url, "sage")
        for user in users:
            await agent.send(await agent.open_session(user), user, "Hello")

    asyncio.run(main())
    return [seen.body.get("user") for seen in service.seen]


def taking(service: Any, most: int, status: int, refused: Any) -> None:
    """The agent answers where the user's name has at most so many characters."""
    service.answers = [
        lambda seen: JSONResponse(refused, status)
        if len(seen.body.get("user", "")) > most
        else JSONResponse(completion(content="Salve"))
    ]


@pytest.mark.parametrize(
    ("status", "refused"),
    [
        (422, {"detail": [{"loc": ["body", "user"], "msg": "Extra inputs are not permitted"}]}),
        (422, {"message": {"detail": [{"loc": ["body", "user"], "msg": "Extra inputs are not permitted"}]}}),
        (400, {"error": {"message": "Unrecognized request argument supplied: user"}}),
        (400, {"error": {"message": "Unsupported parameter: 'user'"}}),
        (400, [{"error": {"message": 'Invalid JSON payload received. Unknown name "user": Cannot find field.'}}]),
        (400, {"error": {"message": "no such thing", "param": "user"}}),
        (200, {"error": {"message": "no such thing", "param": "user", "code": 400}}),
    ],
)
def test_an_agent_that_takes_no_user_is_asked_without_from_then_on(
    service: Any, caplog: pytest.LogCaptureFixture, status: int, refused: Any
) -> None:
    taking(service, 0, status, refused)
    with caplog.at_level(logging.WARNING):
        assert users_sent(service, "Alice", "Bob", LONG) == ["Alice", None, None, None]
    assert caplog.messages == ["the agent does not take `user`: asking without it"]


def test_a_user_whose_name_is_too_long_for_the_agent_is_named_by_a_hash(
    service: Any, caplog: pytest.LogCaptureFixture
) -> None:
    taking(service, 64, 400, {"error": TOO_LONG})
    with caplog.at_level(logging.WARNING):
        assert users_sent(service, LONG, "Bob", LONG) == [LONG, SHA, "Bob", SHA]
    assert caplog.messages == ["the agent does not take `user`: sending a hash of long ones"]


def test_an_agent_that_takes_no_user_at_all_is_not_named_the_hash_either(service: Any) -> None:
    taking(service, 0, 400, {"error": TOO_LONG})
    assert users_sent(service, LONG, LONG) == [LONG, SHA, None, None]


def test_an_agent_that_takes_long_names_gets_them(service: Any) -> None:
    taking(service, 100, 400, {"error": TOO_LONG})
    assert users_sent(service, LONG) == [LONG]


@pytest.mark.parametrize(
    ("status", "said", "asked"),
    [
        (400, "Only user and assistant roles are supported!", 1), (400, "the user's message was flagged", 1),
        (400, "The field user_id is missing.", 1), (500, "Unsupported parameter: 'user'", 1),
        (400, "Role 'user' must not be first", 2),
    ],
)
def test_a_message_that_is_refused_for_another_reason_costs_no_user(
    service: Any, status: int, said: str, asked: int
) -> None:
    service.replies({"error": {"message": said}}, status=status)
    agent = OpenAiAgent(service.url, "sage")

    async def ask() -> None:
        await agent.send(await agent.open_session("Alice"), "Alice", "Hello")

    with pytest.raises(AgentFailure, match=said):
        asyncio.run(ask())
    assert len(service.seen) == asked
    service.replies(completion(content="Salve"))
    asyncio.run(ask())
    assert service.seen[-1].body["user"] == "Alice"
