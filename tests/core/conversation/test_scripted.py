from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted_model import ScriptedModel
from simulated_time import simulated

from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.scripted import IGNORANCE, scripted_message, spoken

Make = Callable[..., Any]
SIGN_OFF = "So long"
FACTS = ["The user's timezone is Australia/Sydney", "The user's dog is called Argos"]


def message(turns: Sequence[tuple[str, str]], tasks: Sequence[str] = (), facts: Sequence[str] = ()) -> str:
    brief = {
        "tasks": [{"type": "task", "task": task} for task in tasks], "facts": list(facts),
        "evaluator": {"signoff": SIGN_OFF}, "turns": list(turns),
    }
    return scripted_message(ChatRequest("evaluator", "offline", (), 0.0, brief=brief))


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Ask the assistant to create a reminder.", "Please create a reminder."),
        ("Ask what the capital of France is", "Could you tell me what the capital of France is?"),
        ("ask for a poem", "Could you give me a poem?"),
        ("Tell the assistant that my name is Alice", "My name is Alice."),
        ("Tell the assistant ?", "."),
        ("Something else entirely!", "Something else entirely!"),
        ("Asking questions", "Asking questions"),
    ],
)
def test_a_task_is_put_as_a_person_would(task: str, said: str) -> None:
    assert spoken(task) == said


HELLO = [("user", "Hi"), ("agent", "Hello, how are you?")]


def test_tasks_are_raised_in_order_and_then_it_signs_off() -> None:
    turns = list(HELLO)
    said = []
    for _ in range(3):
        said.append(message(turns, ["Do this.", "Do that."]))
        turns += [("user", said[-1]), ("agent", "Done.")]
    assert said == ["Do this.", "Do that.", SIGN_OFF]


def test_asked_back_it_tells_the_facts_that_fit_best_and_each_once() -> None:
    asked = [*HELLO, ("user", "Do this."), ("agent", "In which timezone?")]
    told = message(asked, ["Do this.", "Do that."], FACTS)
    assert told == FACTS[0]
    again = [*asked, ("user", told), ("agent", "And your dog? What is it called?")]
    assert message(again, ["Do this.", "Do that."], FACTS) == FACTS[1]
    last = [*again, ("user", FACTS[1]), ("agent", "Anything else?")]
    assert message(last, ["Do this.", "Do that."], FACTS) == "Do that."


def test_asked_back_without_facts_it_knows_nothing_once() -> None:
    asked = [*HELLO, ("user", "Do this."), ("agent", "Where?")]
    assert message(asked, ["Do this."]) == IGNORANCE
    assert message([*asked, ("user", IGNORANCE), ("agent", "Really not?")], ["Do this."]) == SIGN_OFF


@given(
    tasks=st.lists(st.sampled_from(["Ask the time", "Ask for tea", "Do it", "Ask the time"]), min_size=1, max_size=4),
    facts=st.lists(st.sampled_from(FACTS), max_size=2, unique=True),
    question=st.sampled_from(["Why?", "Which timezone?", "Fine."]),
    condition=st.sampled_from(["withheld", "supplied"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_scripted_conversation_ends_and_passes_the_audit(
    planned: Make, make_world: Make, make_journal: Make, agent: Any, tasks: list[str], facts: list[str], question: str,
    condition: str,
) -> None:  # fmt: skip
    fresh = type(agent)(answer=lambda message: None if message in ("open", "context") else question)
    job = {"tasks": [{"task": task, "acceptanceCriteria": f"It deals with: {task}"} for task in tasks], "facts": facts}
    world = make_world(agent=fresh, model=ScriptedModel(by=scripted_message))
    evidence = simulated(hold_trial(planned(condition, maxTurns=40, **job), world, make_journal()))
    assert evidence.outcome == "signed_off", evidence.detail
