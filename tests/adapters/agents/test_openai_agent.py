import asyncio
import hashlib
import logging
from collections.abc import Callable
from typing import Any

import pytest
from starlette.responses import JSONResponse

from stoic_assets.adapters.agents.openai_agent import OpenAiAgent, completions_url
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import ConfigurationError

DEEP = "[" * 400 + "]" * 400


def completion(**message: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", **message}}]}


def one_reply(service: Any) -> AgentReply:
    async def main() -> AgentReply:
        agent = OpenAiAgent(service.url, "sage")
        return await agent.send(await agent.open_session("Alice"), "Alice", "Hello")

    return asyncio.run(main())


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


@pytest.mark.parametrize(("status", "everybody"), [(404, True), (405, True), (403, True), (400, False)])
def test_an_address_or_model_that_is_not_there_is_told_from_a_refused_message(
    service: Any, status: int, everybody: bool
) -> None:
    service.replies({"error": {"message": "no such model"}}, status=status)
    with pytest.raises(AgentFailure, match="no such model") as caught:
        one_reply(service)
    assert caught.value.turned_away is everybody
    assert ("whether it knows the model 'sage'; another --model" in str(caught.value)) is (status in (404, 405))


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


def test_an_unknown_session_is_final(service: Any) -> None:
    async def main() -> None:
        await OpenAiAgent(service.url, "sage").send("nobody", "Alice", "Hello")

    with pytest.raises(AgentFailure) as caught:
        asyncio.run(main())
    assert caught.value.final
    assert service.seen == []


@pytest.mark.parametrize(
    ("arguments", "read"),
    [('{"day": 1}', {"day": 1}), ("", {}), (None, {}), ({"day": 1}, {"day": 1}), ("not json", {"value": "not json"}),
     ("[1]", {"value": [1]}), (DEEP, {"value": DEEP}), (r'{"day": "\ud800"}', {"day": "\ufffd"})],
)
def test_tool_calls_become_events(service: Any, arguments: Any, read: dict[str, Any]) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "remind", "arguments": arguments}}
    custom = {"id": "2", "type": "custom", "custom": {"name": "x", "input": "y"}}
    service.replies(completion(content=None, tool_calls=[call, custom]))
    event = {"request": {"function": {"name": "remind"}, "arguments": read, "context": ""}}
    assert one_reply(service) == AgentReply("", (event, custom))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"content": None}, ""), ({}, ""), ({"content": "Salve"}, "Salve"),
        ({"content": None, "refusal": "I will not."}, "I will not."),
        ({"content": [{"type": "text", "text": "Sal"}, {"type": "text", "text": "ve"}]}, "Salve"),
    ],
)
def test_the_words_of_a_reply(service: Any, message: dict[str, Any], words: str) -> None:
    service.replies(completion(**message))
    assert one_reply(service).content == words


@pytest.mark.parametrize(
    "answer",
    [{}, [], None, {"choices": []}, {"choices": [{}]}, {"choices": None}, {"error": {"message": "overloaded"}},
     {"choices": [{"message": "Salve"}]}, {"choices": [{"message": {"content": ["Salve"]}}]}],
)
def test_what_is_no_completion_is_a_failure_that_may_be_tried_again(service: Any, answer: Any) -> None:
    service.replies(answer)
    with pytest.raises(AgentFailure, match="chat completion") as caught:
        one_reply(service)
    assert not caught.value.final


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
    ],
)
def test_the_address_may_or_may_not_hold_the_path(given: str, asked: str) -> None:
    assert completions_url(given) == asked


def test_a_call_of_before_there_were_tool_calls_is_an_event(service: Any) -> None:
    service.replies(completion(content=None, function_call={"name": "remind", "arguments": '{"day": 1}'}))
    [event] = one_reply(service).events
    assert event["request"]["function"] == {"name": "remind"}
    assert event["request"]["arguments"] == {"day": 1}


def test_what_came_in_place_of_a_completion_is_quoted(service: Any) -> None:
    service.replies({"choices": None, "base_resp": {"status_msg": "insufficient balance"}})
    with pytest.raises(AgentFailure, match=r"did not answer with a chat completion: .*insufficient balance"):
        one_reply(service)


def test_an_error_in_place_of_a_completion_is_told(service: Any) -> None:
    service.replies({"error": {"message": "Insufficient credits"}})
    with pytest.raises(AgentFailure, match=r"did not answer with a chat completion: .*Insufficient credits"):
        one_reply(service)


FORMS: list[Callable[[Any], Any]] = [
    lambda error: {"error": error},
    lambda error: {"error": error, "choices": [{"message": {"content": "Sal"}}]},
    lambda error: {"choices": [{"finish_reason": "error", "message": {"content": ""}, "error": error}]},
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("error", "final", "busy", "turned_away"),
    [
        ({"code": 429, "message": "not now"}, False, True, True),
        ({"code": 502, "message": "not now"}, False, False, True),
        ({"code": "400", "message": "not now"}, True, False, False),
        ({"code": 404, "message": "not now"}, True, False, True),
        ({"code": "overloaded", "message": "not now"}, False, False, False),
        ("not now", False, False, False),
    ],
)
def test_an_error_in_an_answer_of_status_200_is_no_reply_but_that_error(
    service: Any, form: Callable[[Any], Any], error: Any, final: bool, busy: bool, turned_away: bool
) -> None:
    service.replies(form(error))
    with pytest.raises(AgentFailure, match=r"is busy \(429\)|chat completion: not now") as caught:
        one_reply(service)
    assert (caught.value.final, caught.value.busy, caught.value.turned_away) == (final, busy, turned_away)
    assert ("whether it knows the model" in str(caught.value)) is (turned_away and final)


@pytest.mark.parametrize("form", FORMS)
def test_an_account_without_credit_is_no_fault_of_the_agent(service: Any, form: Callable[[Any], Any]) -> None:
    async def main() -> None:
        await OpenAiAgent(service.url, "sage").probe("Alice")

    service.replies(form({"code": 402, "message": "Insufficient credits"}))
    for ask in (lambda: one_reply(service), lambda: asyncio.run(main())):
        with pytest.raises(ConfigurationError, match=r"refuses the key \(402\)"):
            ask()


def test_a_reply_that_ends_with_an_error_is_one_if_there_is_anything_in_it(service: Any) -> None:
    call = {"function": {"name": "remind", "arguments": "{}"}}
    for message, words in (({"content": "Sal"}, "Sal"), ({"content": None, "tool_calls": [call]}, "")):
        service.replies({"choices": [{"finish_reason": "error", "message": message}]})
        assert one_reply(service).content == words
    service.replies({"choices": [{"finish_reason": "error", "message": {"role": "assistant", "content": ""}}]})
    with pytest.raises(AgentFailure, match=r"the reply is empty \(finish_reason error\)") as caught:
        one_reply(service)
    assert not caught.value.final


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
