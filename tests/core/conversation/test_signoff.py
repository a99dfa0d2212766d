from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.conversation.signoff import signs_off, still_answers, without_signoff

MakeJob = Callable[..., Any]
SIGN_OFF = "So Long, and Thanks for All the Fish"


@pytest.mark.parametrize("signoff", ["So Long", "So Long\n", "  so long\n\n"])
def test_white_space_around_the_sign_off_is_no_part_of_it(make_job: MakeJob, signoff: str) -> None:
    job = make_job(evaluator={"signoff": signoff})
    assert signs_off("Thanks. SO LONG!", job)
    assert not signs_off("So, long it was\n", job)


def test_the_sign_off_is_found_in_any_case(make_job: MakeJob) -> None:
    job = make_job(evaluator={"signoff": "Ende Straße"})
    assert signs_off("Und nun: ENDE STRASSE.", job)
    assert not signs_off("Ende der Straße", job)


@pytest.mark.parametrize(
    ("signoff", "message"),
    [
        ("Don't worry, bye", "Don’t worry, bye!"),
        ("Don't worry, bye", "Don´t worry, bye!"),
        ("So long, bye", "Well. So long,\nbye"),
        ("So long, bye", "So long,\u00a0bye"),
        ("So long,\nbye\n", "So long, bye"),
        ("So long-bye", "So long—bye"),
        ("À bientôt", "A\u0300 biento\u0302t"),
        ("###STOP###", "Thanks. ###stop###"),
    ],
)
def test_the_sign_off_is_found_however_it_is_set(make_job: MakeJob, signoff: str, message: str) -> None:
    assert signs_off(message, make_job(evaluator={"signoff": signoff}))


@pytest.mark.parametrize(
    ("signoff", "message"),
    [
        ("###STOP###", "Please stop it"), ("*", "Bye"), ("À bientôt", "A bientot"), ("_bye_", "bye"), (" ", "Bye"),
        ("---END---", "Check the front-end - it looks odd"), ("<<<END>>>", "Mark it as 'end'"), ("---", "well-known"),
        ("--stop--", "a non-stop - flight"),
    ],
)
def test_signs_and_diacritics_are_part_of_the_sign_off(make_job: MakeJob, signoff: str, message: str) -> None:
    assert not signs_off(message, make_job(evaluator={"signoff": signoff}))


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        (f"Yes, please cancel order 17. {SIGN_OFF}", "Yes, please cancel order 17."),
        (f"  {SIGN_OFF.upper()}\n", ""),
        ("Yes.\n\nSo long, and  thanks\u00a0for all the fish\n\nMy name is Ann.", "Yes.\n\n\n\nMy name is Ann."),
        (f"{SIGN_OFF}! Yes. {SIGN_OFF}! {SIGN_OFF}", "! Yes."),
        ("So long, and thanks.", "So long, and thanks."),
    ],
)
def test_the_agent_is_sent_what_stands_beside_the_sign_off(make_job: MakeJob, message: str, rest: str) -> None:
    assert without_signoff(message, make_job()) == rest


@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from([SIGN_OFF, "###STOP###", "*", "Ende Straße", "ﬀ"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_message_keeps_its_sign_off(make_job: MakeJob, before: str, after: str, phrase: str) -> None:
    job = make_job(evaluator={"signoff": phrase})
    rest = without_signoff(f"{before}{phrase}{after}", job)
    assert not signs_off(rest, job)
    if not signs_off(f"{before}{after}", job):
        assert len(rest) >= len(f"{before.strip()}{after.strip()}")


@pytest.mark.parametrize(
    ("asked", "said", "answers"),
    [
        ("Shall I cancel order 17?", f"Yes, please. {SIGN_OFF}", True),
        ("Shall I cancel order 17? Just say so.", f"OK! {SIGN_OFF}", True),
        ("注文を取り消しますか？", f"はい。{SIGN_OFF}", True),
        ("Anything else?", f"No, that is all. Thank you very much! {SIGN_OFF}", False),
        ("Anything else?", SIGN_OFF, False),
        ("You said: what time is it?", f"Good. {SIGN_OFF}!", False),
        ("Do you want more?", f"Perfect, that’s everything I needed. Have a great day! {SIGN_OFF}", False),
        ("Which one?", f"The blue one, thanks. {SIGN_OFF}", True),
        ("I have cancelled it.", f"Perfect, and tell Ann. {SIGN_OFF}", False),
    ],
)
def test_an_answer_is_told_from_a_farewell(make_job: MakeJob, asked: str, said: str, answers: bool) -> None:
    turns = [Turn(0, "user", "Hello"), Turn(1, "agent", asked), Turn(2, "user", said)]
    assert still_answers(turns, make_job()) is answers


def test_a_first_message_answers_nothing(make_job: MakeJob) -> None:
    assert not still_answers([Turn(0, "user", f"Yes. {SIGN_OFF}")], make_job())
