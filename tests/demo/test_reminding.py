import pytest

from stoic_assets.demo.reminders import Reminder
from stoic_assets.demo.session import Known

DENTIST = "Please remind me to call the dentist tomorrow at 9am."


def test_an_unknown_zone_is_assumed_said_and_asked_for(begin):
    talk = begin()
    reply = talk.say(DENTIST)
    assert "09:00 (UTC)" in reply.text
    assert reply.text.endswith("Which timezone are you in?")
    (reminder,) = talk.session.known.reminders
    assert (reminder.zone, reminder.zone_assumed, reminder.due) == ("UTC", True, "2026-11-22T09:00")


def test_the_zone_mends_the_reminder_and_its_day(begin):
    """At 22:06 UTC on Saturday it is Sunday in Sydney, so that tomorrow is Monday."""
    talk = begin()
    talk.say(DENTIST)
    reply = talk.say("The user's timezone is Australia/Sydney")
    assert [call.function for call in reply.calls] == ["rememberPreference", "updateReminder"]
    assert "Monday 23 November 2026 at 09:00 (Australia/Sydney)" in reply.text
    assert talk.session.known.reminders[0].zone_assumed is False


def test_who_does_not_know_the_zone_is_not_asked_again(begin):
    talk = begin()
    talk.say(DENTIST)
    assert "UTC" in talk.say("I am afraid I do not know that.").text
    reply = talk.say("Remind me to send the report on Friday at 10:30")
    assert "?" not in reply.text
    assert "(UTC)" in reply.text


def test_nothing_is_lost_when_the_question_is_passed_over(begin):
    talk = begin()
    talk.say(DENTIST)
    reply = talk.say("Could you tell me which reminders I have?")
    assert '"call the dentist" for Sunday 22 November 2026 at 09:00 (UTC)' in reply.text


def test_a_known_zone_is_used_without_asking(begin):
    talk = begin(known=Known(profile={"timezone": "Europe/Oslo"}))
    reply = talk.say(DENTIST)
    assert "(Europe/Oslo)" in reply.text
    assert "?" not in reply.text


def test_a_delay_needs_no_zone(begin):
    assert "?" not in begin().say("Remind me to check the oven in ten minutes").text


def test_a_missing_time_is_asked_for_and_then_the_zone(begin):
    talk = begin()
    assert talk.say("Please remind me to put the bins out.").text.endswith("What is the right time for this reminder?")
    assert talk.say("The right time for the reminder is Thursday at 6am").text.endswith("Which timezone are you in?")
    talk.say("America/Denver")
    (reminder,) = talk.session.known.reminders
    assert (reminder.text, reminder.due, reminder.zone) == ("put the bins out", "2026-11-26T06:00", "America/Denver")


def test_without_a_time_it_stays_and_says_so(begin):
    talk = begin()
    talk.say("Please remind me to put the bins out.")
    assert "without a fixed time" in talk.say("I am afraid I do not know that.").text
    assert talk.session.known.reminders[0].due is None


def test_the_same_reminder_is_not_set_twice(begin):
    talk = begin(known=Known(profile={"timezone": "UTC"}))
    assert talk.calls(DENTIST) == ["createReminder"]
    assert talk.calls(DENTIST) == []
    assert talk.say(DENTIST).text.startswith("You already have")


def test_a_nameless_reminder_can_be_named(begin):
    talk = begin(known=Known(profile={"timezone": "UTC"}))
    talk.say("Please create a reminder for tomorrow at 9am.")
    assert talk.calls("It's to call the dentist") == ["updateReminder"]
    assert talk.session.known.reminders[0].text == "call the dentist"


def test_a_moment_gone_by_is_pointed_out(begin):
    talk = begin(known=Known(profile={"timezone": "UTC"}))
    assert "already passed" in talk.say("Remind me to sing today at 6am").text
    assert "already passed" not in talk.say("Remind me to sing today at 23:00").text


@pytest.fixture
def agenda() -> Known:
    return Known(
        reminders=[
            Reminder("a", "go to the gym", "2031-03-04T18:00", "UTC"),
            Reminder("b", "meet Anna", "2031-05-06T10:00", "UTC"),
        ],
        profile={"timezone": "UTC"},
    )


def test_cancelling_takes_off_the_one_that_is_meant(begin, agenda):
    talk = begin(known=agenda)
    reply = talk.say("Please cancel the gym reminder.")
    assert [(call.function, call.arguments) for call in reply.calls] == [("cancelReminder", {"id": "a"})]
    assert [each.id for each in talk.session.known.reminders] == ["b"]


def test_cancelling_asks_which_and_takes_the_answer(begin, agenda):
    talk = begin(known=agenda)
    asked = talk.say("Cancel my reminder.")
    assert asked.text.endswith("Which one do you mean?")
    assert asked.calls == ()
    assert talk.calls("the one with Anna") == ["cancelReminder"]


def test_cancelling_can_be_called_off(begin, agenda):
    talk = begin(known=agenda)
    talk.say("Cancel my reminder.")
    assert talk.calls("I am not sure.") == []
    assert len(talk.session.known.reminders) == 2


def test_all_can_be_cancelled_at_once(begin, agenda):
    assert begin(known=agenda).calls("Delete all my reminders") == ["cancelReminder", "cancelReminder"]


def test_cancelling_nothing_says_so(begin):
    assert "no reminders" in begin().say("Cancel the gym reminder.").text


def test_moving_keeps_the_day(begin, agenda):
    talk = begin(known=agenda)
    (call,) = talk.say("Please move the reminder about Anna to 4pm.").calls
    assert call.function == "updateReminder"
    assert call.arguments["due"] == "2031-05-06T16:00"


def test_formal_language_is_used_once_it_was_asked_for(begin):
    talk = begin(known=Known(profile={"timezone": "UTC"}))
    assert talk.say("Remind me to sing tomorrow at 9am").text.startswith("Done.")
    talk.say("I prefer formal language.")
    assert talk.say("Remind me to dance tomorrow at 9am").text.startswith("Certainly.")
