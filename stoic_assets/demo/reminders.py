"""Reminders, and which of them a user means."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

UNNAMED = "Reminder"
"""The text of a reminder without a subject."""

_ALL = re.compile(r"\b(?:all|both|every|everything|them)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|latest)\b", re.IGNORECASE)
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "fifth": 5}
_NUMBERED = re.compile(rf"\b(?:(?:number|no\.?|#) ?(\d+)|({'|'.join(_ORDINALS)}))\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:it|that|this)\b", re.IGNORECASE)
_EMPTY_WORDS = frozenset(
    """a about again alarm an and any anymore at be for from i in is it its just longer me my need no now of on one
    please reminder reminders set so that the then there this to was which will with you your""".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Reminder:
    """One reminder. `due` is wall-clock time in `zone`, ISO 8601 to the minute; an assumed zone was never stated."""

    id: str
    text: str
    due: str | None
    zone: str
    zone_assumed: bool = False

    def title(self) -> str:
        """Its name in a sentence."""
        return "the reminder" if self.text == UNNAMED else f'the reminder "{self.text}"'

    def moment(self) -> str:
        """When it is due, in words that follow its title."""
        if self.due is None:
            return ", as yet without a time"
        due = datetime.fromisoformat(self.due)
        return f" for {due:%A} {due.day} {due:%B %Y} at {due:%H:%M} ({self.zone})"


def choose(reminders: Sequence[Reminder], which: str, focus: str | None) -> list[Reminder]:
    """The reminders that the words mean; none where that is not clear.

    `focus` is the id of the reminder mentioned last: "it" and "that" mean this one.
    """
    if _ALL.search(which):
        return list(reminders)
    each_part = [_single(reminders, part, focus) for part in re.split(r",| and ", which)]
    if len(each_part) > 1 and None not in each_part:
        return list(dict.fromkeys(reminder for reminder in each_part if reminder))
    whole = _single(reminders, which, focus)
    return [whole] if whole else []


def _single(reminders: Sequence[Reminder], which: str, focus: str | None) -> Reminder | None:
    if numbered := _NUMBERED.search(which):
        place = int(numbered[1]) if numbered[1] else _ORDINALS[numbered[2].lower()]
        return reminders[place - 1] if 1 <= place <= len(reminders) else None
    if _LAST.search(which):
        return reminders[-1] if reminders else None
    described = _words(which)
    if not described:
        pointed_at = [each for each in reminders if each.id == focus] if _POINTING.search(which) else []
        fitting = pointed_at or list(reminders)
    else:
        shared = [len(described & _words(each.text)) for each in reminders]
        fitting = [each for each, score in zip(reminders, shared, strict=True) if score and score == max(shared)]
    return fitting[0] if len(fitting) == 1 else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - _EMPTY_WORDS
