"""The audit of the simulated user: its faults must not be charged to the agent.

No model is asked. A message is at fault when it is empty, tells what the user cannot know (a withheld fact, an
acceptance criterion), or signs off before every task could have been put.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from stoic_assets.core.conversation.evidence import Condition, Turn
from stoic_assets.core.jobs.job import Job

OVERLAP = 0.8
"""Share of a secret's telling words that must stand in a message for it to count as repeated."""
TELLING_WORDS = 3
"""A paraphrase is only recognised by at least so many telling words; shorter secrets must occur word for word."""
_STOP_WORDS = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for", "from", "has", "have", "he", "her", "his", "i", "in", "is", "it", "its", "me", "my", "not", "of", "on", "or", "our", "she", "should", "so", "that", "the", "their", "them", "they", "this", "to", "was", "we", "were", "will", "with", "you", "your", "user", "users", "assistant", "agent", "s"]
)


def fault(message: str, job: Job, condition: Condition, turns: Sequence[Turn]) -> str | None:
    """Why `message` must not be sent, in words that give no secret away; None when it may."""
    if not message.strip():
        return "it was empty"
    if signs_off(message, job) and _messages(turns) < len(job.tasks):
        return "it ended the conversation before every task had been raised"
    if any(repeats(message, secret, _known(job, condition, turns)) for secret in _secrets(job, condition)):
        return "it told something that the user does not know"
    return None


def signs_off(message: str, job: Job) -> bool:
    """Whether the message holds the sign-off, in whatever case."""
    return job.evaluator.signoff.casefold() in message.casefold()


def repeats(message: str, secret: str, known: Iterable[str]) -> bool:
    """Whether `message` tells `secret`, word for word or nearly so, beyond what is `known` anyway."""
    said, hidden = words(message), words(secret)
    public = [words(text) for text in known]
    if len(hidden) > 1 and _within(hidden, said) and not any(_within(hidden, text) for text in public):
        return True
    common = {word for text in public for word in text} | _STOP_WORDS
    telling = set(hidden) - common
    return len(telling) >= TELLING_WORDS and len(telling & set(said)) >= OVERLAP * len(telling)


def words(text: str) -> list[str]:
    """The words of a text, without case, accents' encodings and punctuation."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(whole)} "


def _messages(turns: Sequence[Turn]) -> int:
    """Messages of the user so far, the greeting not counted."""
    return sum(turn.speaker == "user" for turn in turns) - 1


def _secrets(job: Job, condition: Condition) -> list[str]:
    criteria = [task.acceptance_criteria for task in job.tasks]
    return criteria + (list(job.facts) if condition == "withheld" else [])


def _known(job: Job, condition: Condition, turns: Sequence[Turn]) -> list[str]:
    facts = list(job.facts) if condition == "supplied" else []
    return facts + [task.task for task in job.tasks] + [turn.content for turn in turns if turn.speaker == "agent"]
