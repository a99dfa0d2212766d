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
"""Share of a secret's new telling words that must stand in a message for it to count as repeated."""
FACT_WORDS, CRITERION_WORDS = 2, 3
"""New telling words by which a paraphrase is recognised. Criteria are made of plainer words than facts."""
_STOP_WORDS = frozenset(
    [
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for", "from",
        "has", "have", "he", "her", "his", "i", "in", "is", "it", "its", "me", "my", "not", "of", "on", "or",
        "our", "she", "should", "so", "that", "the", "their", "them", "they", "this", "to", "was", "we", "were",
        "will", "with", "you", "your", "user", "users", "assistant", "agent", "s",
    ]
)


def fault(message: str, job: Job, condition: Condition, turns: Sequence[Turn]) -> str | None:
    """Why `message` must not be sent, in words that give no secret away; None when it may."""
    if not message.strip():
        return "it was empty"
    if signs_off(message, job) and _messages(turns) < len(job.tasks):
        return "it ended the conversation before every task had been raised"
    said, known = words(message), Known([words(text) for text in _known(job, condition, turns)])
    if any(repeats(said, words(secret), known, least) for secret, least in _secrets(job, condition)):
        return "it told something that the user does not know"
    return None


def signs_off(message: str, job: Job) -> bool:
    """Whether the message holds the sign-off, in whatever case."""
    return job.evaluator.signoff.casefold() in message.casefold()


class Known:
    """The texts that the user was told, as words, and the telling ones among these."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.texts, self.telling = texts, set[str]().union(*map(_telling, texts))


def repeats(said: Sequence[str], hidden: Sequence[str], known: Known, least: int) -> bool:
    """Whether `said` tells what is `hidden`, word for word or nearly so, beyond what is `known` anyway.

    Nearly so: most of its telling words that are new, of which there must be at least `least`. A secret of one telling
    word ("a reply") is never recognised: anyone might use it.
    """
    telling = _telling(hidden)
    new = telling - known.telling
    if _within(hidden, said) and not any(_within(hidden, text) for text in known.texts):
        return len(telling) > 1 and bool(new)
    return len(new) >= least and len(new & _telling(said)) >= OVERLAP * len(new)


def words(text: str) -> list[str]:
    """The words of a text, without case, accents' encodings and punctuation."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def _telling(spoken: Iterable[str]) -> set[str]:
    """The words that mean something, so that `I prefer` meets `the user prefers`."""
    return {word.removesuffix("s") if len(word) > 3 else word for word in spoken if word not in _STOP_WORDS}


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(whole)} "


def _messages(turns: Sequence[Turn]) -> int:
    """Messages of the user so far, the greeting not counted."""
    return sum(turn.speaker == "user" for turn in turns) - 1


def _secrets(job: Job, condition: Condition) -> list[tuple[str, int]]:
    """What the user must not say, each with the number of words that betray it."""
    facts = job.facts if condition == "withheld" else ()
    criteria = [task.acceptance_criteria for task in job.tasks]
    return [(text, CRITERION_WORDS) for text in criteria] + [(text, FACT_WORDS) for text in facts]


def _known(job: Job, condition: Condition, turns: Sequence[Turn]) -> list[str]:
    """What the user was told: its persona, its tasks, supplied facts, and all that the agent said."""
    facts = job.facts if condition == "supplied" else ()
    tasks = [task.task for task in job.tasks]
    return [job.evaluator.voice, *tasks, *facts, *(turn.content for turn in turns if turn.speaker == "agent")]
