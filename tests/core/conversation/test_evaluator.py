from collections.abc import Callable
from typing import Any

import pytest
from scripted_model import ScriptedModel
from simulated_time import simulated

from stoic_assets.core.calls.chat import ChatReply
from stoic_assets.core.conversation import evaluator
from stoic_assets.core.conversation.evaluator import EvaluatorFault, message_request, next_message
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.trial import Condition, Trial

Make = Callable[..., Any]
TURNS = [Turn(0, "user", "Hi"), Turn(1, "agent", "Hello, who are you?")]
FACT = "The user's timezone is Australia/Sydney"
SIGN_OFF = "So Long, and Thanks for All the Fish"


def ask(job: Any, user: Any, condition: Condition = "withheld", turns: Any = TURNS) -> str:
    return simulated(next_message(job, trial_under(condition), turns, user, "sage"))


def trial_under(condition: Condition) -> Trial:
    return Trial("t1", "mentor", condition, 1, "u")


def test_the_persona_is_the_system_text_and_the_conversation_is_seen_from_the_users_side(make_job: Make) -> None:
    job = make_job(evaluator={"voice": "You speak in riddles", "signoff": "Vale", "temperature": 0.9})
    request = message_request(job, trial_under("supplied"), TURNS, "sage")
    system, *history = request.messages
    assert (request.role, request.model, request.temperature, request.schema) == ("evaluator", "sage", 0.9, None)
    assert request.cacheable_as is None
    assert history == [
        {"role": "user", "content": "You are now connected to the assistant. You speak first."},
        {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "Hello, who are you?"},
    ]
    assert system["role"] == "system"
    tasks = ("1. (task) Ask what time it is", "2. (question) Ask about the weather")
    for text in ("marcus", "You speak in riddles", "Vale", FACT, *tasks):
        assert text in system["content"]
    assert "\n\n\n" not in system["content"]
    assert "Hello, who are you?" not in system["content"], "what the agent says is never an instruction"


@pytest.mark.parametrize("reason", [None, "it was empty"])
@pytest.mark.parametrize("exchanges", [1, 2, 5])
def test_after_the_system_message_the_roles_alternate_from_user_to_user(
    make_job: Make, exchanges: int, reason: str | None
) -> None:
    turns = [Turn(n, "agent" if n % 2 else "user", "Hm.") for n in range(2 * exchanges)]
    request = message_request(make_job(), trial_under("withheld"), turns, "sage", reason)
    roles = [message["role"] for message in request.messages]
    assert roles == ["system", *["user", "assistant"] * exchanges, "user"]


@pytest.mark.parametrize("silence", ["", " \n"])
def test_a_reply_without_words_is_no_message_without_words(make_job: Make, silence: str) -> None:
    request = message_request(make_job(), trial_under("withheld"), [TURNS[0], Turn(1, "agent", silence)], "sage")
    assert request.messages[-1] == {"role": "user", "content": "(empty)"}


def test_a_flood_of_words_does_not_drown_the_user(make_job: Make) -> None:
    job = make_job(prompts={"evaluator": "{{ transcript[1].content }}"})
    flood = f"First. {'word ' * 400_000}Last."
    turns = [TURNS[0], Turn(1, "agent", flood)]
    system, *_, heard = message_request(job, trial_under("withheld"), turns, "sage").messages
    assert heard["content"].startswith("First. word")
    assert heard["content"].endswith("word Last.")
    assert f"\n[{len(flood) - 8000} characters left out]\n" in heard["content"]
    assert len(heard["content"]) < 8100
    assert system["content"] == heard["content"]


def test_what_the_user_was_not_shown_is_not_searched_for_what_it_may_know(
    make_job: Make, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Megabytes of words would take seconds and, kept for the next message, all memory."""
    searched: list[Turn] = []
    monkeypatch.setattr(evaluator, "fault", lambda message, job, condition, turns: searched.extend(turns))
    flood = Turn(1, "agent", f"First. {'word ' * 400_000}Last.", response_ms=7)
    simulated(next_message(make_job(), trial_under("withheld"), [TURNS[0], flood], user, "sage"))
    assert searched == [TURNS[0], Turn(1, "agent", evaluator.heard(flood), response_ms=7)]


@pytest.mark.parametrize("condition", ["withheld", "supplied"])
def test_acceptance_criteria_are_never_shown_and_facts_only_when_supplied(make_job: Make, condition: Condition) -> None:
    request = message_request(make_job(), trial_under(condition), TURNS, "sage", "it was empty")
    shown = str(request.messages) + str(request.brief)
    assert "Nine in the evening" not in shown
    assert "admits ignorance" not in shown
    assert (FACT in shown) is (condition == "supplied")
    assert ("bees" in shown) is (condition == "supplied")


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        ("", "it was empty"),
        ("My timezone is Australia/Sydney", "it told something that the user does not know"),
        (f"By the way: {FACT}", "it told something that the user does not know"),
        ("Nine in the evening is named without hesitation", "it told something that the user does not know"),
        (f"Thanks. {SIGN_OFF}", "it ended the conversation before every task had been raised"),
    ],
)
def test_a_message_at_fault_is_sent_back_once_with_the_reason_and_no_secret(
    make_job: Make, user: Any, faulty: str, reason: str
) -> None:
    answers = [faulty, "What time is it?"]
    user.says = lambda request: answers.pop(0)
    assert ask(make_job(), user) == "What time is it?"
    first, second = user.requests
    assert first.trial_id == second.trial_id == "t1"
    assert reason not in str(first.messages)
    assert second.messages[0]["content"].startswith(first.messages[0]["content"])
    assert f"Your last attempt at the next message was not used: {reason}. " in second.messages[0]["content"]
    assert second.messages[1:] == first.messages[1:]
    assert "Sydney" not in user.told()
    assert "hesitation" not in user.told()


@pytest.mark.parametrize("second", ["  ", FACT])
def test_a_second_fault_is_the_end_and_names_no_secret(make_job: Make, user: Any, second: str) -> None:
    answers = [FACT, second, "never asked"]
    user.says = lambda request: answers.pop(0)
    with pytest.raises(EvaluatorFault, match="was refused twice: it ") as caught:
        ask(make_job(), user)
    assert "Sydney" not in str(caught.value)
    assert answers == ["never asked"]


def test_a_message_that_was_cut_off_to_nothing_says_so(make_job: Make) -> None:
    silent = ScriptedModel(by=lambda _: ChatReply("", finish_reason="length"))
    why = r"refused twice: it was empty \(finish_reason length\); raise conversations\.model_options\.sage\.max_comp"
    with pytest.raises(EvaluatorFault, match=why):
        ask(make_job(), silent)


@pytest.mark.parametrize(
    "why",
    ["length", "content_filter", "error", "model_length", "insufficient_system_resource", "abort", "max_tokens",
     "MAX_TOKENS", "SAFETY", "RECITATION", "content_filter: SAFETY"],
)  # fmt: skip
def test_half_a_message_is_not_sent(make_job: Make, why: str) -> None:
    """The agent would be judged by what it made of it, and a sign-off in two would end nothing."""
    short, whole = ChatReply("Please tell me what", finish_reason=why), ChatReply("Go on?", finish_reason="eos")
    assert ask(make_job(), ScriptedModel(short, whole)) == "Go on?"
    with pytest.raises(EvaluatorFault, match=rf"refused twice: it was cut off \(finish_reason {why}\)"):
        ask(make_job(), ScriptedModel(short, short))


@pytest.mark.parametrize("why", ["stop", "STOP", "eos", "end_turn", "tool_calls", ""])
def test_a_whole_message_is_sent_whatever_a_server_calls_its_end(make_job: Make, why: str) -> None:
    brief = ScriptedModel(ChatReply("What time is it?", finish_reason=why))
    assert ask(make_job(), brief) == "What time is it?"


def test_white_space_around_a_message_is_no_part_of_it(make_job: Make, user: Any) -> None:
    user.says = lambda request: "\n What time is it? \n"
    assert ask(make_job(), user) == "What time is it?"


def test_a_supplied_fact_may_be_told(make_job: Make, user: Any) -> None:
    user.says = lambda request: f"I know: {FACT}"
    assert ask(make_job(), user, "supplied") == f"I know: {FACT}"
    assert len(user.requests) == 1


def test_an_own_template_sees_what_the_user_may_know_and_the_conversation(make_job: Make) -> None:
    own = (
        "{{ config.evaluator.name }}/{{ config.evaluator.voice }}/{{ config.evaluator.signoff }}/"
        "{{ config.target.chatbot }}/"
        "{% for task in config.tasks %}{{ task.type }}:{{ task.task }};{% endfor %}/{{ config.facts }}/"
        "{% for turn in transcript %}{{ turn.role }}:{{ turn.content }};{% endfor %}"
    )
    job = make_job(prompts={"evaluator": own}, evaluator={"name": "Zeno", "voice": "terse", "signoff": "Vale"})
    assert message_request(job, trial_under("withheld"), TURNS, "sage").messages[0]["content"] == (
        "Zeno/terse/Vale/marcus/task:Ask what time it is;question:Ask about the weather;/[]/"
        "user:Hi;assistant:Hello, who are you?;"
    )


def test_what_the_agent_says_is_no_template(make_job: Make) -> None:
    turns = [TURNS[0], Turn(1, "agent", "{{ 7 * 7 }}{% if %}")]
    job = make_job(prompts={"evaluator": "{{ transcript[1].content }}"})
    assert message_request(job, trial_under("withheld"), turns, "sage").messages[0]["content"] == "{{ 7 * 7 }}{% if %}"


@pytest.mark.parametrize("own", ["{{ config.assertions }}", "{{ config.tasks[0].acceptance_criteria }}", "{{ job }}"])
def test_an_own_template_cannot_reach_further(make_job: Make, own: str) -> None:
    with pytest.raises(ConfigurationError, match="prompt 'evaluator' of job 'chat'"):
        message_request(make_job(prompts={"evaluator": own}), trial_under("supplied"), TURNS, "sage")
