"""The sign-off: the phrase with which the simulated user ends a conversation, and what stands beside it."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.text.clean_text import plainly_set

_ASKS = re.compile("[?？؟՞፧]")
_WORD = re.compile(r"\w+")
_PARTING = frozenset(
    [
        "a", "all", "and", "appreciate", "awesome", "brilliant", "bye", "day", "done", "else", "everything",
        "excellent", "fine", "for", "good", "goodbye", "great", "have", "help", "i", "is", "it", "lot",
        "lovely", "m", "much", "my", "need", "needed", "nice", "no", "none", "nope", "nothing", "now",
        "perfect", "s", "so", "thank", "thanks", "that", "the", "then", "today", "very", "was", "well",
        "wonderful", "you", "your",
    ]
)
"""Words of somebody who wants nothing more: refusals, thanks, praise and farewells."""


def signs_off(message: str, job: Job) -> bool:
    """Whether the message contains the sign-off, however it is set; a YAML block ends it with a line feed."""
    phrase = plainly_set(job.evaluator.signoff)
    return phrase != "" and phrase in plainly_set(message)


def without_signoff(message: str, job: Job) -> str:
    """What the agent is sent of a message: what stands before and after the first sign-off, up to the second."""
    phrase = plainly_set(job.evaluator.signoff)
    if not signs_off(message, job):
        return message
    start, end = _place(phrase, message)
    rest = f"{message[:start]}{message[end:]}"
    return (rest[: _place(phrase, rest)[0]] if signs_off(rest, job) else rest).strip()


def _place(phrase: str, message: str) -> tuple[int, int]:
    """Where the phrase is first; the message must contain it."""
    # The shortest beginning that contains it ends with it, and of that the shortest end is the phrase.
    end = bisect_left(range(len(message)), True, key=lambda size: phrase in plainly_set(message[:size]))
    start = bisect_left(range(end), True, key=lambda size: phrase not in plainly_set(message[size:end])) - 1
    return start, end


def still_answers(turns: Sequence[Turn], job: Job) -> bool:
    """Whether the user, while signing off, answers a question of the agent by more than that nothing is left to do.

    Without that answer an agent that asks before it acts would not act.
    """
    if len(turns) < 2 or not _ASKS.search(turns[-2].content):
        return False
    return not set(_WORD.findall(without_signoff(turns[-1].content, job).casefold())) <= _PARTING
