"""The audit of the simulated user: its faults must not be charged to the agent.

No model is asked. A message is at fault when it is empty, reveals what the user cannot know (a withheld fact, an
acceptance criterion), or signs off before every task has been raised: after fewer messages than there are tasks, and
while some task's own words, those that no other task has, are largely missing from all messages.
"""

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.conversation.signoff import signs_off
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Condition
from stoic_assets.core.text.clean_text import clean

OVERLAP = 0.8
"""Share of a secret's new telling words that must be in a message for the secret to count as repeated."""
FACT_WORDS, CRITERION_WORDS = 2, 3
"""New telling words needed to recognise a paraphrase. Criteria consist of more common words than facts."""
RAISED = 0.5
"""Share of the telling words that only this task has, which must have been said for it to count as raised."""
_LEFT_OUT = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f"  # diacritics
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670"  # Hebrew and Arabic vowels, seldom written
    "\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f]+"  # joiners, and what surrounds symbols or selects their look
)
"""Characters inside a word with or without which it is the same word."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"  # Japanese, Chinese
)
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS, 2)}
_WITH_Y = re.compile(r"(?<=\w\w)ies?$")
_ENDING = re.compile(r"(?<=\d)(?:st|nd|rd|th)$|(?:(?<=ss)|(?<=[cs]h)|(?<=\wx))es?$|(?<=\w\w[^\Ws])s$")
_STOP_WORDS = frozenset(
    [
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for", "from",
        "has", "have", "he", "her", "his", "i", "in", "is", "it", "its", "me", "my", "not", "of", "on", "one",
        "or", "our", "she", "should", "so", "that", "the", "their", "them", "they", "this", "to", "was", "we", "were",
        "will", "with", "you", "your", "user", "users", "assistant", "agent", "s",
    ]
)


def fault(message: str, job: Job, condition: Condition, turns: Sequence[Turn]) -> str | None:
    """Why `message` must not be sent, in words that reveal no secret; None when it may be sent."""
    if not clean(message).strip():
        return "it was empty"
    if signs_off(message, job) and _messages(turns) < len(job.tasks) and not _all_raised(job, turns):
        return "it ended the conversation before every task had been raised"
    said = Spoken(message)
    facts, criteria = ([each for each in secrets if said.telling(each)] for secrets in _secrets(job, condition))
    if not (facts or criteria):
        return None  # the usual case; searching the whole conversation takes a while
    known = Spoken(*_known(job, condition, turns))
    about = Spoken(message, *(turn.content for turn in turns[-1:]))
    told = any(_repeats(said, criterion, known, CRITERION_WORDS) for criterion in criteria)
    told |= any(_repeats(said, fact, known, FACT_WORDS) or _completes(said, fact, known, about) for fact in facts)
    return "it told something that the user does not know" if told else None


def raised_nothing(job: Job, turns: Sequence[Turn]) -> bool:
    """Whether the user has raised no task, as far as words tell: perhaps it did not play its part."""
    shares = _shares_raised(job, turns)
    return bool(shares) and all(share is not None and share < RAISED for share in shares)


class Spoken:
    """Texts as words, and every spelling of the telling words in them."""

    def __init__(self, *texts: str) -> None:
        self._texts = [words(text) for text in texts]
        self._spellings = set().union(*map(_spellings, self._texts))

    def holds(self, hidden: Sequence[str]) -> bool:
        """Whether one of the texts contains the words of `hidden` in unbroken sequence."""
        return any(f" {' '.join(hidden)} " in f" {' '.join(text)} " for text in self._texts)

    def telling(self, hidden: Sequence[str]) -> set[str]:
        """The telling words of `hidden` that the texts contain, also joined to a neighbour (time zone, timezone)."""
        apart = [pair for pair in pairwise(hidden) if _in_one(*pair) in self._spellings]
        return _telling(hidden) & (self._spellings | _telling(word for pair in apart for word in pair))


def _repeats(said: Spoken, hidden: Sequence[str], known: Spoken, least: int) -> bool:
    """Whether `said` reveals what is `hidden`, word for word or nearly so, beyond what is `known` anyway.

    Nearly so: it contains most of the new telling words, of which there must be at least `least`. A secret of one
    telling word ("a reply") is never recognised: anyone might use that word.
    """
    telling = _telling(hidden)
    new = telling - known.telling(hidden)
    if said.holds(hidden) and not known.holds(hidden):
        return len(telling) > 1 and bool(new)
    missing = new - said.telling(hidden)
    if any(map(_UNSPACED.match, missing)):  # *what time* for *eight o'clock* changes but two of ten pairs of characters
        return False
    return len(new) >= least and len(new) - len(missing) >= OVERLAP * len(new)


def _completes(said: Spoken, fact: Sequence[str], known: Spoken, about: Spoken) -> bool:
    """Whether `said` reveals the one new word of a fact, such as *Sydney* when asked for the time zone.

    That word alone reveals nothing: `about`, the message and what it replies to, must contain most of the fact's words.
    """
    telling = _telling(fact)
    new = telling - known.telling(fact)
    is_told = len(telling) > len(new) == 1 and new <= said.telling(fact)
    return is_told and len(about.telling(fact)) >= OVERLAP * len(telling)


@lru_cache(maxsize=1_000)  # the last turns of a few dozen conversations, checked again with every message
def words(text: str) -> tuple[str, ...]:
    """The words of a text, without case, diacritics and punctuation.

    In place of a word in a script without spaces, every pair of its neighbouring characters.
    """
    bare = _LEFT_OUT.sub("", unicodedata.normalize("NFKD", text).casefold())
    composed = unicodedata.normalize("NFKC", bare)
    between = {ord(character): " " for character in set(composed) if not _is_in_words(character)}
    spaced = _UNSPACED.sub(lambda run: f" {_in_pairs(run[0])} ", composed.translate(between))
    return tuple(spaced.split())


def _in_pairs(run: str) -> str:
    """Every character with the next one: where words end could only be told with a dictionary."""
    return " ".join(map(operator.add, run, run[1:])) or run


def _is_in_words(character: str) -> bool:
    """Whether it is a letter, a digit, `_`, or a mark, such as most vowels of Hindi, Tamil and Thai."""
    return character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")


def _telling(spoken: Iterable[str]) -> set[str]:
    """The words that carry meaning, so that `I prefer` matches `the user prefers`."""
    return {_form(word) for word in set(spoken) - _STOP_WORDS}


@lru_cache(maxsize=1_000)
def _spellings(spoken: tuple[str, ...]) -> set[str]:
    """The telling words, and any two neighbours written as one."""
    return _telling(spoken) | set(map(_in_one, spoken, spoken[1:]))


def _in_one(first: str, second: str) -> str:
    return first + _form(second)


@lru_cache(maxsize=10_000)
def _form(word: str) -> str:
    """One form for singular and plural (`city`, `cities`), `nine` and `9`, `4` and `4th`."""
    return _DIGITS.get(word) or _ENDING.sub("", _WITH_Y.sub("y", word))


def _messages(turns: Sequence[Turn]) -> int:
    """Messages of the user so far, the greeting not counted."""
    return sum(turn.speaker == "user" for turn in turns) - 1


def _all_raised(job: Job, turns: Sequence[Turn]) -> bool:
    """Whether the user has raised every task, perhaps several in one message."""
    return all(share is not None and share >= RAISED for share in _shares_raised(job, turns))


def _shares_raised(job: Job, turns: Sequence[Turn]) -> list[float | None]:
    """Of each task the share of its own telling words that the user has said; None for a task without any."""
    said = Spoken(*(turn.content for turn in turns if turn.speaker == "user"))
    tasks = [words(task.task) for task in job.tasks]
    times = Counter(word for task in tasks for word in _telling(task))
    own = [{word for word in _telling(task) if times[word] == 1} for task in tasks]
    pairs = zip(tasks, own, strict=True)
    return [len(mine & said.telling(task)) / len(mine) if mine else None for task, mine in pairs]


def _secrets(job: Job, condition: Condition) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """What the user must not say, as words: the facts that are withheld, and the acceptance criteria."""
    facts = job.facts if condition == "withheld" else ()
    return [words(fact) for fact in facts], [words(task.acceptance_criteria) for task in job.tasks]


def _known(job: Job, condition: Condition, turns: Sequence[Turn]) -> list[str]:
    """What the user was told: its persona, its tasks, supplied facts, and all that the agent said."""
    facts = job.facts if condition == "supplied" else ()
    tasks = [task.task for task in job.tasks]
    return [job.evaluator.voice, *tasks, *facts, *(turn.content for turn in turns if turn.speaker == "agent")]
