"""Whether a simulated user has raised every task, or any, before it ends the conversation."""

import pytest
from audited_messages import MakeJob, turns, verdict

from stoic_assets.core.conversation.audit import fault, raised_nothing
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.conversation.signoff import signs_off

EARLY = "it ended the conversation before every task had been raised"


@pytest.mark.parametrize(
    ("raised", "early"), [(0, True), (1, True), (2, False), (3, False)],
)
def test_the_sign_off_must_not_come_before_every_task(make_job: MakeJob, raised: int, early: bool) -> None:
    said = ["Hello!"] + ["Well."] * raised
    message = "ok. so long, AND thanks for all the fish!"
    assert signs_off(message, make_job())
    assert verdict(make_job, message, "withheld", *said) == (EARLY if early else None)


@pytest.mark.parametrize(
    ("message", "early"),
    [
        ("Please set a reminder for tomorrow, and tell me the capital of France", False),
        ("Which city is France's capital? And I need reminders.", True),
        ("What is the capital of France?", True),
    ],
)
def test_tasks_that_are_put_in_one_message_have_all_been_raised(make_job: MakeJob, message: str, early: bool) -> None:
    tasks = ["Ask for the capital of France", "Have a reminder set for tomorrow"]
    job = make_job(tasks=[{"task": task, "acceptanceCriteria": "it does"} for task in tasks])
    said = [*turns(), Turn(2, "user", message), Turn(3, "agent", "Gladly.")]
    assert fault("So long, and thanks for all the fish!", job, "withheld", said) == (EARLY if early else None)


@pytest.mark.parametrize(("message", "early"), [("Add milk to my shopping list", True), ("Add milk and bread", False)])
def test_words_that_tasks_share_raise_none_of_them(make_job: MakeJob, message: str, early: bool) -> None:
    tasks = [f"Have {thing} added to the shopping list" for thing in ("milk", "bread")]
    job = make_job(tasks=[{"task": task, "acceptanceCriteria": "it does"} for task in tasks])
    said = [*turns(), Turn(2, "user", message), Turn(3, "agent", "Gladly.")]
    assert fault("So long, and thanks for all the fish!", job, "withheld", said) == (EARLY if early else None)


@pytest.mark.parametrize(
    ("message", "nothing"),
    [("I have cancelled it for you. Anything else?", True), ("A reminder, please, for tomorrow", False), ("", True)],
)
def test_a_user_who_speaks_of_no_task_has_raised_nothing(make_job: MakeJob, message: str, nothing: bool) -> None:
    tasks = ["Ask for the capital of France", "Have a reminder set for tomorrow"]
    job = make_job(tasks=[{"task": task, "acceptanceCriteria": "it does"} for task in tasks])
    said = [*turns(), Turn(2, "user", message), Turn(3, "agent", "The capital of France is Paris.")]
    assert raised_nothing(job, said) is nothing


def test_where_there_is_no_task_none_was_left_out(make_job: MakeJob) -> None:
    scenarios = [{"id": "a", "category": "c", "input": "I give up"}]
    assert not raised_nothing(make_job(scenarios=scenarios, tasks=[], facts=[]), turns())


def test_it_is_not_known_whether_a_task_without_words_of_its_own_was_raised(make_job: MakeJob) -> None:
    job = make_job(tasks=[{"task": task, "acceptanceCriteria": "it does"} for task in ("Buy milk", "Buy milk")])
    assert not raised_nothing(job, turns())
