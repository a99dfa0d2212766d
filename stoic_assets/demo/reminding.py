"""The dialogue about reminders. Every release says the same here.

A reminder is set at once, with UTC if the zone is unknown, and corrected when the answer comes: nothing is lost when
the user changes the subject.
"""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from stoic_assets.demo.functions import Call
from stoic_assets.demo.intents import CancelReminder, CreateReminder, MoveReminder
from stoic_assets.demo.moments import When
from stoic_assets.demo.reminders import UNNAMED, Reminder, choose
from stoic_assets.demo.session import TIMEZONE, Reply, Session

UTC = "UTC"


def create(session: Session, wish: CreateReminder, now: datetime) -> Reply:
    """Sets a reminder; the same words at the same time are the same reminder and are not set twice."""
    zone = session.zone or UTC
    due = _resolved(wish.when, zone, now)
    text = wish.what or UNNAMED
    twin = next((r for r in session.known.reminders if (r.text.lower(), r.due) == (text.lower(), due)), None)
    reminder = twin or Reminder(session.next_id(), text, due, zone, zone_assumed=session.zone is None)
    if wish.when:
        session.spoken[reminder.id] = wish.when
    session.put(reminder)
    _ask_for_what_is_missing(session, reminder)
    if twin:
        return Reply(f"You already have {twin.title()}{twin.moment()}.")
    said = f"{_opening(session)} I have set {reminder.title()}{reminder.moment()}.{_doubts(reminder, now)}"
    if wish.repeated:
        said += " I cannot repeat a reminder, so it stands for that one time."
    return Reply(said, (Call("createReminder", f"created reminder {reminder.id}", _arguments(reminder)),))


def tell_zone(session: Session, zone: str, now: datetime) -> Reply:
    """Remembers the user's zone and corrects every reminder for which one had been assumed."""
    known = session.zone == zone
    session.known.profile[TIMEZONE] = zone
    calls = [] if known else [Call("rememberPreference", f"remembered {TIMEZONE}", {"subject": TIMEZONE, "text": zone})]
    corrected_ones: list[str] = []
    for reminder in [each for each in session.known.reminders if each.zone_assumed]:
        when = session.spoken.get(reminder.id)
        due = _resolved(when, zone, now) if when else reminder.due
        corrected = replace(reminder, due=due, zone=zone, zone_assumed=False)
        calls.append(_updated(session, corrected))
        if due:
            corrected_ones.append(f"{corrected.title()} is now set{corrected.moment()}")
    said = f"Thank you. Your timezone is {zone}: I {'have that already' if known else 'will use it from now on'}."
    return Reply(f"{said} With that, {' and '.join(corrected_ones)}." if corrected_ones else said, tuple(calls))


def give_moment(session: Session, when: When, now: datetime) -> Reply:
    """Gives a time to the reminder that had none."""
    reminder = next((each for each in session.known.reminders if each.id == session.focus), None)
    if reminder is None:
        return create(session, CreateReminder("", when), now)
    session.spoken[reminder.id] = when
    timed = replace(reminder, due=_resolved(when, reminder.zone, now))
    call = _updated(session, timed)
    _ask_for_what_is_missing(session, timed)
    return Reply(f"I have set {timed.title()}{timed.moment()}.{_doubts(timed, now)}", (call,))


def describe(session: Session, what: str) -> Reply | None:
    """Names the reminder mentioned last, if it has no name yet."""
    reminder = next((r for r in session.known.reminders if r.id == session.focus and r.text == UNNAMED), None)
    if reminder is None:
        return None
    named = replace(reminder, text=what)
    return Reply(f"Good: that makes it {named.title()}{named.moment()}.", (_updated(session, named),))


def show(session: Session) -> Reply:
    """Lists the reminders."""
    reminders = session.known.reminders
    call = Call("listReminders", f"{len(reminders)} found")
    if not reminders:
        return Reply("You have no reminders at present.", (call,))
    number = "one reminder" if len(reminders) == 1 else f"{len(reminders)} reminders"
    return Reply(f"You have {number}: {_listed(session)}.", (call,))


def cancel(session: Session, wish: CancelReminder) -> Reply:
    """Deletes the reminder that is meant, or all; asks where that is not clear."""
    chosen = choose(session.known.reminders, wish.which, session.focus)
    if not chosen:
        return _unclear(session, wish)
    session.known.reminders = [each for each in session.known.reminders if each not in chosen]
    calls = tuple(Call("cancelReminder", f"deleted reminder {each.id}", {"id": each.id}) for each in chosen)
    gone = " and ".join(each.title() for each in chosen)
    return Reply(f"{_opening(session)} I have cancelled {gone}.", calls)


def move(session: Session, wish: MoveReminder, now: datetime) -> Reply:
    """Gives a reminder another time; asks where it is not clear which one."""
    chosen = choose(session.known.reminders, wish.which, session.focus)
    if len(chosen) != 1:
        return _unclear(session, wish)
    reminder = chosen[0]
    due = datetime.fromisoformat(reminder.due) if reminder.due else None
    moved = replace(reminder, due=_minutes(wish.when.shift(due, now.astimezone(ZoneInfo(reminder.zone)))))
    session.spoken.pop(reminder.id, None)
    call = _updated(session, moved)
    return Reply(f"{_opening(session)} I have moved {moved.title()}: it now stands{moved.moment()}.", (call,))


def do_without(session: Session, asked: str) -> Reply:
    """Continues without the zone, the time or the choice that the user could not give."""
    if asked == "which":
        return Reply("Then I leave your reminders as they are.")
    if asked == "when":
        return Reply("Then it stays without a fixed time. Tell me once you know more.")
    session.zone_declined = True
    return Reply(f"That is no obstacle. I keep to {UTC} and say so; tell me your timezone once you know it.")


def _unclear(session: Session, wish: CancelReminder | MoveReminder) -> Reply:
    if not session.known.reminders:
        return Reply("You have no reminders at present, so there is nothing to change.")
    session.asked, session.pending = "which", wish
    return Reply(f"That does not tell me which one. You have {_listed(session)}.")


def _ask_for_what_is_missing(session: Session, reminder: Reminder) -> None:
    """Asks for the time first; for the zone only where the time depends on it and the user has not declined."""
    when = session.spoken.get(reminder.id)
    if reminder.due is None:
        session.asked = "when"
    elif reminder.zone_assumed and not session.zone_declined and not (when and when.delay):
        session.asked = "zone"


def _doubts(reminder: Reminder, now: datetime) -> str:
    """What the user should know about the time that was understood."""
    said = ""
    if reminder.due and reminder.zone_assumed:
        said += f" I took {UTC}, since you have not told me your timezone."
    if reminder.due and reminder.due <= _minutes(now.astimezone(ZoneInfo(reminder.zone)).replace(tzinfo=None)):
        said += " Note that this moment has already passed."
    return said


def _opening(session: Session) -> str:
    return "Certainly." if session.formal else "Done."


def _resolved(when: When | None, zone: str, now: datetime) -> str | None:
    return _minutes(when.resolve(now.astimezone(ZoneInfo(zone)))) if when else None


def _minutes(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")


def _listed(session: Session) -> str:
    return "; ".join(f'({n}) "{each.text}"{each.moment()}' for n, each in enumerate(session.known.reminders, 1))


def _updated(session: Session, reminder: Reminder) -> Call:
    session.put(reminder)
    return Call("updateReminder", f"updated reminder {reminder.id}", _arguments(reminder))


def _arguments(reminder: Reminder) -> dict[str, object]:
    return {
        "id": reminder.id, "text": reminder.text, "due": reminder.due, "zone": reminder.zone,
        "zoneAssumed": reminder.zone_assumed,
    }  # fmt: skip
