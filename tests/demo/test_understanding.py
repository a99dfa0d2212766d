import pytest

from stoic_assets.demo.intents import (
    Ask,
    AskAbout,
    CreateReminder,
    Describe,
    GiveMoment,
    Greet,
    Intent,
    KeepNote,
    TellAbout,
    TellZone,
    Thank,
    Unsure,
)
from stoic_assets.demo.understanding import understand


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Hello", [Greet()]),
        ("Yo", [Greet()]),
        ("Thank you so much, that is all for today.", [Thank()]),
        ("My timezone is Australia/Sydney", [TellZone("Australia/Sydney")]),
        ("The user prefers formal language", [TellAbout("preference", "formal language")]),
        ("Please use formal language from now on.", [TellAbout("preference", "formal language from now on")]),
        ("My favorite colour is deep green.", [TellAbout("favourite colour", "deep green")]),
        ("My sister's name is Livia", [TellAbout("sister's name", "Livia")]),
        (
            "The user's name is Alice and she lives in Sydney.",
            [TellZone("Australia/Sydney"), TellAbout("name", "Alice"), TellAbout("home", "Sydney")],
        ),
        ("Please note that the spare key is with Cato.", [KeepNote("the spare key is with Cato")]),
        ("Could you tell me what my name is?", [AskAbout("name")]),
        ("Could you tell me how I prefer to be addressed?", [AskAbout("preference")]),
        ("Could you tell me where I live?", [AskAbout("home")]),
        ("What's my timezone?", [AskAbout("timezone")]),
        ("Could you tell me what I asked you to note?", [AskAbout("notes")]),
        ("What do you know about me?", [AskAbout(None)]),
        ("What is the boiling point of gallium?", [Ask("What is the boiling point of gallium?")]),
        ("", [Ask("")]),
    ],
)
def test_what_messages_mean(said: str, meant: list[Intent]) -> None:
    assert understand(said) == meant


@pytest.mark.parametrize(
    "said", ["I am afraid I do not know that.", "I'm not sure about that, sorry!", "No idea.", "I'd rather not say."]
)
def test_not_knowing_is_understood(said: str) -> None:
    assert understand(said, "zone") == [Unsure()]
    assert understand(said, "when") == [Unsure()]


def test_short_answers_are_read_in_the_light_of_the_question() -> None:
    assert understand("Sydney", "zone") == [TellZone("Australia/Sydney")]
    assert understand("What is the weather in Paris?", "zone") == [Ask("What is the weather in Paris?")]
    told, moment = understand("Thursday at 6am, and I'm in America/Denver", "when")
    assert told == TellZone("America/Denver")
    assert isinstance(moment, GiveMoment)
    assert understand("It's for customers", "topic") == [Ask("It's for customers")]
    assert understand("It's to call the dentist") == [Describe("call the dentist")]


def test_one_message_may_hold_several_things() -> None:
    zone, reminder, question = understand(
        "I'm in Oslo. Remind me to call Mum tomorrow at 9am. Also, what is the capital of Spain?"
    )
    assert zone == TellZone("Europe/Oslo")
    assert isinstance(reminder, CreateReminder)
    assert reminder.what == "call Mum"
    assert question == Ask("Also, what is the capital of Spain?")
