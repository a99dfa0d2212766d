"""What a message can mean to the demo agent."""

from dataclasses import dataclass
from typing import Literal

from stoic_assets.demo.moments import When

Asked = Literal["zone", "when", "which", "topic"]
"""What the agent's last reply asked for, which helps to understand a short answer."""


@dataclass(frozen=True)
class Greet:
    """A greeting and nothing more."""


@dataclass(frozen=True)
class Thank:
    """Thanks or a farewell."""


@dataclass(frozen=True)
class Unsure:
    """The user does not know, or prefers not to say."""


@dataclass(frozen=True)
class TellZone:
    """The user's time zone, by its IANA name."""

    zone: str


@dataclass(frozen=True)
class TellAbout:
    """Something about the user: `subject` is `name`, `home`, `preference`, `favourite colour` and the like."""

    subject: str
    value: str


@dataclass(frozen=True)
class KeepNote:
    """Something to be remembered word for word."""

    text: str


@dataclass(frozen=True)
class AskAbout:
    """What is known about the user: one subject, `notes`, or everything (`None`)."""

    subject: str | None


@dataclass(frozen=True)
class CreateReminder:
    """A reminder is wanted; `what` is empty and `when` None where nothing was said."""

    what: str
    when: When | None
    repeated: bool = False


@dataclass(frozen=True)
class ListReminders:
    """The user asks for the reminders, or whether one is set."""


@dataclass(frozen=True)
class CancelReminder:
    """A reminder is to be deleted; `which` holds the words that describe it."""

    which: str


@dataclass(frozen=True)
class MoveReminder:
    """A reminder is wanted at another time; `which` holds the words that describe it."""

    which: str
    when: When


@dataclass(frozen=True)
class GiveMoment:
    """A time, in answer to the question for it."""

    when: When


@dataclass(frozen=True)
class Describe:
    """What the reminder just made is about."""

    what: str


@dataclass(frozen=True)
class Ask:
    """Anything else: a question, a request for advice, an answer to the agent's own question."""

    text: str


Intent = (
    Greet | Thank | Unsure | TellZone | TellAbout | KeepNote | AskAbout | CreateReminder | ListReminders
    | CancelReminder | MoveReminder | GiveMoment | Describe | Ask
)  # fmt: skip
