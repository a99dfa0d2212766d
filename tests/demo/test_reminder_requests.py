from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.demo.intents import CancelReminder, CreateReminder, ListReminders, MoveReminder
from stoic_assets.demo.reminder_requests import read_requests, sentences

NOW = datetime(2026, 11, 21, 22, 6, tzinfo=UTC)
THINGS = ["call the dentist", "buy milk", "water the roses", "cancel the gym", "list my debts", "see Anna"]
WHENS = ["tomorrow at 9am", "tomorrow at 09:00", "on Sunday at 9"]
WISHES = [
    "Please remind me to {what} {when}.",
    "Please remind me {when} to {what}.",
    "Could you set a reminder for me to {what} {when}?",
    "Hey, can you create a reminder to {what} {when}, please?",
    "I'd like you to add a new reminder: {what}, {when}. Thanks!",
    "Don't let me forget to {what} {when}",
    "Make sure I remember to {what} {when}!",
    "I need to {what} {when}. Can you remind me?",
    "Set up a reminder for {when} to {what}",
]


@given(st.sampled_from(WISHES), st.sampled_from(THINGS), st.sampled_from(WHENS))
def test_a_wish_is_understood_however_it_is_put(wish: str, what: str, when: str) -> None:
    (request,), _ = read_requests(wish.format(what=what, when=when))
    assert isinstance(request, CreateReminder)
    assert request.what == what
    assert request.when is not None
    assert request.when.resolve(NOW) == datetime(2026, 11, 22, 9)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Please create a reminder for tomorrow at 9am.", ""),
        ("remind me tomorrow", ""),
        ("Set a dentist reminder for 9am tomorrow", "dentist"),
        ('Add "buy stamps" to my reminders for Monday', "buy stamps"),
        ("Could you pop a reminder in for tomorrow 9 a.m. about the team meeting?", "the team meeting"),
        ("I would like a reminder that the exam starts at 10:00 on 4 December", "the exam starts"),
        ("Remind me at 7am to water the plants and feed the cat.", "water the plants and feed the cat"),
        ("I also need to fetch my parcel on Monday at 5 pm - please remind me about that too.", "fetch my parcel"),
        ("remind me about the gym tomorrow evening around 7", "the gym"),
    ],
)
def test_what_a_reminder_is_about(said: str, what: str) -> None:
    (request,), _ = read_requests(said)
    assert isinstance(request, CreateReminder)
    assert request.what == what


def test_several_reminders_with_times_of_their_own() -> None:
    found, _ = read_requests("Set two reminders: one to call Anna tomorrow at 9am and one to write on Friday at 3pm.")
    assert [request.what for request in found if isinstance(request, CreateReminder)] == ["call Anna", "write"]


@pytest.mark.parametrize(
    "said",
    [
        "Please list my reminders.",
        "Could you tell me which reminders I have?",
        "Could you tell me whether you set the reminder?",
        "What reminders do I have set up right now?",
        "Can you show me all of my reminders?",
        "Could you remind me which reminders I have?",
        "I want to see my reminders",
        "What's on my agenda?",
        "Is my reminder set?",
    ],
)
def test_lists_are_asked_for_in_many_ways(said: str) -> None:
    assert read_requests(said) == ([ListReminders()], [])


@pytest.mark.parametrize(
    ("said", "which"),
    [
        ("Please cancel the gym reminder.", "the gym reminder"),
        ("I'd like you to delete the reminder about the gym", "the reminder about the gym"),
        ("I don't need the gym reminder any more", "the gym reminder any more"),
        ("please delete all of them", "all of them"),
    ],
)
def test_cancelling(said: str, which: str) -> None:
    assert read_requests(said) == ([CancelReminder(which)], [])


def test_what_cannot_be_repeated_is_marked() -> None:
    (request,), _ = read_requests("Can you remind me every day at 8am to take my pills?")
    assert isinstance(request, CreateReminder)
    assert (request.what, request.repeated) == ("take my pills", True)


@pytest.mark.parametrize("said", ["Actually, make that 8pm", "Could you set it for 9pm instead?"])
def test_a_time_alone_moves_the_one_spoken_of(said: str) -> None:
    (request,), _ = read_requests(said)
    assert isinstance(request, MoveReminder)


def test_moving() -> None:
    (request,), _ = read_requests("Could you move my reminder about Anna to 4 PM instead?")
    assert isinstance(request, MoveReminder)
    assert "Anna" in request.which


@pytest.mark.parametrize(
    "said",
    [
        "How do I remove an item from a list in Python?",
        "Should I cancel my trip?",
        "Could you remind me what my name is?",
        "The right time for the reminder is Thursday at 6am.",
        "How can I move on after 4 years?",
    ],
)
def test_what_asks_for_no_reminder_is_left_alone(said: str) -> None:
    assert read_requests(said) == ([], [said])


@given(st.text(max_size=200))
def test_any_text_is_read_without_complaint(text: str) -> None:
    requests, rest = read_requests(text)
    assert len(rest) <= len(sentences(text))
    assert all(isinstance(r, CreateReminder | ListReminders | CancelReminder | MoveReminder) for r in requests)


def test_abbreviated_hours_end_no_sentence() -> None:
    assert sentences("Call at 9 a.m. Sydney time. Then rest.") == ["Call at 9 a.m. Sydney time.", "Then rest."]
