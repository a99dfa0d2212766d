import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.demo.reminders import Reminder, choose

REMINDERS = [
    Reminder("1", "go to the gym", "2031-03-04T18:00", "UTC"),
    Reminder("2", "call the dentist", "2031-03-05T09:00", "UTC"),
    Reminder("3", "call Anna", None, "UTC"),
]


@pytest.mark.parametrize(
    ("which", "ids"),
    [
        ("the gym reminder", "1"),
        ("my reminder about the dentist, please", "2"),
        ("the call", ""),
        ("the first one", "1"),
        ("number 2", "2"),
        ("the last one", "3"),
        ("number 7", ""),
        ("all of my reminders", "123"),
        ("my reminder", ""),
        ("it", "2"),
        ("the opera", ""),
        ("the gym one and the dentist one", "12"),
        ("the gym and the opera", "1"),
    ],
)
def test_which_reminders_are_meant(which: str, ids: str) -> None:
    assert "".join(each.id for each in choose(REMINDERS, which, focus="2")) == ids


@given(st.sampled_from(REMINDERS))
def test_its_own_text_means_a_reminder(reminder: Reminder) -> None:
    assert choose(REMINDERS, reminder.text, None) == [reminder]


def test_words_for_the_moment() -> None:
    assert REMINDERS[0].moment() == " for Tuesday 4 March 2031 at 18:00 (UTC)"
    assert REMINDERS[2].moment() == ", as yet without a time"
