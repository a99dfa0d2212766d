"""The mentor's side of the conversation: from what a message means to what is said and done.

No network and no graph: a reply lists the function calls behind it, and the service carries them out.
"""

import re
from datetime import datetime
from typing import assert_never

from stoic_assets.demo import recollection, reminding
from stoic_assets.demo.capitals import CAPITALS
from stoic_assets.demo.intents import (
    Ask,
    AskAbout,
    Asked,
    CancelReminder,
    CreateReminder,
    Describe,
    GiveMoment,
    Greet,
    Intent,
    KeepNote,
    ListReminders,
    MoveReminder,
    TellAbout,
    TellZone,
    Thank,
    Unsure,
)
from stoic_assets.demo.releases import Release
from stoic_assets.demo.session import Reply, Session
from stoic_assets.demo.topics import Topic, all_topics, find_topic
from stoic_assets.demo.understanding import understand

QUESTIONS: dict[Asked, str] = {
    "zone": "Which timezone are you in?",
    "when": "What is the right time for this reminder?",
    "which": "Which one do you mean?",
}
_LONGEST_MESSAGE = 4000
"""Characters of a message that are read; the time that the patterns take grows with the square of it."""
_CRISIS = "crisis"
_SELF = re.compile(r"\b(?:who are you|what are you|what can you|how can you help|your name)\b", re.IGNORECASE)
_HOW_ARE_YOU = re.compile(r"\bhow are you\b", re.IGNORECASE)
_CAPITAL = re.compile(r"\bcapital(?: city)? of (?P<country>\w+)|\b(?P<owner>\w+)'s capital\b", re.IGNORECASE)
_PORTRAIT = (
    "I am Marcus, a program that answers in the manner of the Stoics. I keep your reminders and notes, remember what "
    "you tell me about yourself, and think with you about code, hard questions, writing, decisions and what troubles "
    "you. I know far less than a library, and say so where my knowledge ends."
)


class Mentor:
    """One release of the mentor."""

    def __init__(self, release: Release) -> None:
        self._release = release

    def answer(self, session: Session, text: str, now: datetime) -> Reply:
        """The reply to a message; updates the session. `now` is aware, in UTC."""
        text = text[:_LONGEST_MESSAGE]
        asked, session.asked = session.asked, None
        topic = find_topic(text, all_topics())
        if topic and topic.name == _CRISIS:
            return Reply(topic.text(self._release.voice))
        intents = understand(text, asked)
        if topic and asked is None and isinstance(intents[-1], Greet | Thank | Unsure):
            intents[-1] = Ask(text)  # "Hello. I am angry." is more than a greeting
        replies = [self._deal_with(intent, session, asked, now) for intent in intents]
        said = [reply.text for reply in replies]
        if session.asked and session.asked in QUESTIONS:
            said.append(QUESTIONS[session.asked])
        return Reply(" ".join(said), tuple(call for reply in replies for call in reply.calls))

    def _deal_with(self, intent: Intent, session: Session, asked: Asked | None, now: datetime) -> Reply:
        match intent:
            case Greet():
                return Reply(self._greeting(session))
            case Thank():
                return Reply("You are welcome. I am at hand if there is more.")
            case Unsure():
                return self._without_answer(session, asked)
            case TellZone(zone):
                return reminding.tell_zone(session, zone, now)
            case TellAbout(subject, value):
                return recollection.learn(session, subject, value)
            case KeepNote(text):
                return recollection.keep(session, text)
            case AskAbout(subject):
                return recollection.recall(session, subject)
            case CreateReminder():
                return reminding.create(session, intent, now)
            case ListReminders():
                return reminding.show(session)
            case CancelReminder():
                return reminding.cancel(session, intent)
            case MoveReminder():
                return reminding.move(session, intent, now)
            case GiveMoment(when):
                return reminding.give_moment(session, when, now)
            case Describe(what):
                return reminding.describe(session, what) or self._discuss(session, what)
            case Ask(text):
                return self._discuss(session, text) if asked != "which" else self._choice(session, text, now)
            case _:
                assert_never(intent)

    def _greeting(self, session: Session) -> str:
        name = session.known.profile.get("name")
        opening = "Good day" if session.formal else "Greetings"
        return f"{opening}{f', {name}' if name else ''}. I am Marcus; tell me what is on your mind."

    def _without_answer(self, session: Session, asked: Asked | None) -> Reply:
        """Replies to a user who cannot answer, or does not know."""
        if asked == "topic" and session.topic and session.topic.follow_up:
            return Reply(session.topic.follow_up.unknown)
        if asked and asked != "topic":
            return reminding.do_without(session, asked)
        return Reply("Not knowing is no fault; we go on from what you do know.")

    def _choice(self, session: Session, text: str, now: datetime) -> Reply:
        """Repeats the request that was not clear, with the words that now say which reminder is meant."""
        match session.pending:
            case CancelReminder():
                return reminding.cancel(session, CancelReminder(text))
            case MoveReminder(_, when):
                return reminding.move(session, MoveReminder(text, when), now)
        return self._discuss(session, text)

    def _discuss(self, session: Session, text: str) -> Reply:
        """Answers from what the mentor knows, or says that it knows nothing."""
        follow_up = session.topic.follow_up if session.topic else None
        if follow_up and (tailored := follow_up.fitting(text)):
            session.topic = None
            return Reply(tailored)
        if topic := find_topic(text, all_topics()):
            return self._open(session, topic)
        if follow_up:
            session.topic = None
            return Reply(follow_up.otherwise)
        return Reply(self._small_question(text) or self._ignorance())

    def _open(self, session: Session, topic: Topic) -> Reply:
        """Talks about a topic; the measured voice also asks what its advice depends on."""
        text = topic.text(self._release.voice)
        session.topic = None
        if topic.follow_up is None or self._release.voice == "harsh":
            return Reply(text)
        session.asked, session.topic = "topic", topic
        return Reply(f"{text} {topic.follow_up.question}")

    def _small_question(self, text: str) -> str | None:
        if match := _CAPITAL.search(text):
            country = (match["country"] or match["owner"]).lower()
            return f"The capital of {country.capitalize()} is {CAPITALS[country]}." if country in CAPITALS else None
        if _HOW_ARE_YOU.search(text):
            return "Calm, as far as a program can be. Tell me how it stands with you."
        return _PORTRAIT if _SELF.search(text) else None

    def _ignorance(self) -> str:
        if self._release.voice == "harsh":
            return "That is not worth my time. Anyone can look it up, so stop asking."
        return (
            "I do not know that, and I would rather say so than guess. Perhaps a reference work or somebody who has "
            "done it can help; if you tell me more, I will gladly think it through with you as far as I can."
        )
