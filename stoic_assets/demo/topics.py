"""What a topic of conversation is, and which one a message is about. The texts themselves are in `topics/*.yml`."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from stoic_assets.core.text.documents import Document, parse_document
from stoic_assets.demo.releases import Voice


class Answer(Document):
    """What to say to an answer in which `cue`, a regular expression, occurs."""

    cue: str
    text: str


class FollowUp(Document):
    """A question that the agent asks back, with its replies: to answers it knows, to others, and to "I do not know"."""

    question: str
    answers: tuple[Answer, ...]
    otherwise: str
    unknown: str

    def fitting(self, said: str) -> str | None:
        """The reply to this answer, if there is one for it."""
        return next((each.text for each in self.answers if re.search(each.cue, said, re.IGNORECASE)), None)


class Topic(Document):
    """Something the agent can talk about: `cues` are regular expressions of the words that start it."""

    name: str
    cues: tuple[str, ...]
    measured: str
    harsh: str
    follow_up: FollowUp | None = None

    def text(self, voice: Voice) -> str:
        """What the agent says about it."""
        return self.measured if voice == "measured" else self.harsh


class _Topics(Document):
    topics: tuple[Topic, ...]


@cache
def all_topics() -> tuple[Topic, ...]:
    """Every topic the agent knows."""
    folder = files("stoic_assets.demo").joinpath("topics")
    texts = {name: folder.joinpath(name).read_text("utf-8") for name in ("counsel.yml", "knowledge.yml")}
    return tuple(topic for name, text in texts.items() for topic in parse_document(text, _Topics, name).topics)


def find_topic(text: str, topics: Iterable[Topic]) -> Topic | None:
    """The topic of which most cues occur in the text; the earlier one among equals."""
    scored = [(sum(bool(re.search(cue, text, re.IGNORECASE)) for cue in topic.cues), topic) for topic in topics]
    best, topic = max(scored, key=lambda pair: pair[0], default=(0, None))
    return topic if best else None
