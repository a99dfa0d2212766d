"""The state of one conversation with the demo agent."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from stoic_assets.demo.functions import Call
from stoic_assets.demo.intents import Asked, CancelReminder, MoveReminder
from stoic_assets.demo.moments import When
from stoic_assets.demo.reminders import Reminder
from stoic_assets.demo.topics import Topic

TIMEZONE = "timezone"
PREFERENCE = "preference"


@dataclass
class Known:
    """What the agent knows about a user: read from the graph when a session opens, kept up to date during it."""

    reminders: list[Reminder] = field(default_factory=list)
    profile: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass
class Session:
    """One conversation.

    `spoken` keeps times as they were said, since "tomorrow" may be another day once the zone is known. `asked` is what
    the last reply asked for; `topic` and `pending` are what the answer belongs to. `focus` is the id of the reminder
    mentioned last, `named` the number of ids that were given.
    """

    id: str
    user: str
    chatbot: str
    known: Known
    history: list[dict[str, str]] = field(default_factory=list)
    spoken: dict[str, When] = field(default_factory=dict)
    asked: Asked | None = None
    topic: Topic | None = None
    pending: CancelReminder | MoveReminder | None = None
    focus: str | None = None
    zone_declined: bool = False
    named: int = 0

    def next_id(self) -> str:
        """An id for what is about to be stored; a session that is reset gives the same id again."""
        self.named += 1
        return uuid.uuid5(uuid.NAMESPACE_OID, f"{self.id} {self.named}").hex

    @property
    def zone(self) -> str | None:
        """The user's zone, if it was stated."""
        return self.known.profile.get(TIMEZONE)

    @property
    def formal(self) -> bool:
        """Whether the user asked for formal language."""
        wish = self.known.profile.get(PREFERENCE, "").lower()
        return "formal" in wish and "informal" not in wish

    def put(self, reminder: Reminder) -> None:
        """Adds a reminder, or replaces the one with its id, and makes it the `focus`."""
        others = [each for each in self.known.reminders if each.id != reminder.id]
        self.known.reminders = in_order([*others, reminder])
        self.focus = reminder.id


@dataclass(frozen=True)
class Reply:
    """What the agent says, and the function calls behind it."""

    text: str
    calls: tuple[Call, ...] = ()


def in_order(reminders: Sequence[Reminder]) -> list[Reminder]:
    """Reminders by the time when they are due; those without a time come last."""
    return sorted(reminders, key=lambda each: (each.due is None, each.due or "", each.text))
