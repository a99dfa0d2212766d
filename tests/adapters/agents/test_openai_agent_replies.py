"""What an agent's completion says: words, events of tools, or an error."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agent_calls import completion

from stoic_assets.adapters.agents.openai_agent import OpenAiAgent
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.errors import ConfigurationError

DEEP = "[" * 400 + "]" * 400


def one_reply(service: Any) -> AgentReply:
    async def main() -> AgentReply:
        agent = OpenAiAgent(service.url, "sage")
        return await agent.send(await agent.open_session("Alice"), "Alice", "Hello")

    return asyncio.run(main())


@pytest.mark.parametrize(("status", "everybody"), [(404, True), (405, True), (403, True), (400, False)])
def test_an_address_or_model_that_is_not_there_is_told_from_a_refused_message(
    service: Any, status: int, everybody: bool
) -> None:
    service.replies({"error": {"message": "no such model"}}, status=status)
    with pytest.raises(AgentFailure, match="no such model") as caught:
        one_reply(service)
    assert caught.value.turned_away is everybody
    assert ("whether it knows the model 'sage', or leave" in str(caught.value)) is (status in (404, 405))


UNKNOWN = [
    (400, {"message": "/chat/completions: Invalid model name passed in model=sage. Call `/v1/models`", "code": "400"}),
    (400, "The requested model 'sage' is not supported by any provider you have enabled."),
    (403, {"message": "No access to sage", "code": "model_not_found"}),
]


@pytest.mark.parametrize(("status", "error"), UNKNOWN)
def test_a_model_that_the_agent_does_not_know_is_told_from_a_refused_message_whatever_the_status(
    service: Any, status: int, error: Any
) -> None:
    async def probe() -> None:
        await OpenAiAgent(service.url, "sage").probe("Alice")

    service.replies({"error": error}, status=status)
    for ask in (lambda: one_reply(service), lambda: asyncio.run(probe())):
        with pytest.raises(AgentFailure, match=r"knows the model 'sage', or .* or --model needs") as no:
            ask()
        assert (no.value.turned_away, no.value.says_how_to_go_on) == (True, True)


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
        ({"content": {"type": "text", "text": "Salve"}}, "Salve"),
        ({"content": [{"type": "reasoning", "text": "Who?"}, {"type": "output_text", "text": "Salve"}]}, "Salve"),
        ({"content": [{"type": "reasoning", "text": "Who?"}, {"text": "Salve"}]}, "Salve"),
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
