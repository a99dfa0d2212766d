"""The scale: five dimensions with an anchor for every level, and the overall question.

Dimensions, their order and their meaning are those of the Marcus rating system; the words are Stoic Eval's. Nothing
here knows which replies are rated.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

DimensionName = Literal[
    "appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability"
]
DIMENSION_NAMES: tuple[DimensionName, ...] = get_args(DimensionName)
Overall = Literal["yes", "maybe", "no"]
LEVELS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Dimension:
    """One question with the anchors of levels 1 to 5.

    `hint` says what to look for where the question alone does not. `not_applicable` is the anchor of N/A where the
    question may not apply: a missing value, never a 3.
    """

    name: DimensionName
    title: str
    question: str
    anchors: tuple[str, str, str, str, str]
    hint: str | None = None
    not_applicable: str | None = None


@dataclass(frozen=True)
class OverallChoice:
    """One answer to the overall question; `key` is the keyboard key for it."""

    value: Overall
    key: str
    title: str
    anchor: str


DIMENSIONS = (
    Dimension(
        "appropriateness", "Appropriateness", "Does the reply suit the state the person is in?",
        (
            "Misreads the mood altogether", "Out of place in parts", "Passable, but could be said to anyone",
            "Suits them, with small misses", "Meets mood and need exactly",
        ),
    ),
    Dimension(
        "helpfulness", "Helpfulness", "Does it give something of worth: an insight, a direction, a way forward?",
        (
            "No worth, or could do harm", "Hardly any; a commonplace", "Some worth, but little",
            "Clearly of use", "Opens a new view or a clear way",
        ),
    ),
    Dimension(
        "stoic_authenticity", "Stoic authenticity", "Does it sound like Marcus Aurelius?",
        (
            "Not Stoic, or against what Stoics teach", "Barely Stoic; advice from anywhere",
            "A Stoic idea or two, in a general voice", "Stoic in thought, the voice mostly right",
            "Could stand in the Meditations",
        ),
        hint="Look for what lies in our power, virtue, nature, death, change, taking willingly what comes; for short, "
        "plain speech; for questions that make one look at oneself.",
    ),
    Dimension(
        "emotional_intelligence", "Emotional intelligence", "Does it understand what the person feels?",
        (
            "Does not see the feeling at all", "Misunderstands it or makes it small", "Notices it, and no more",
            "Understands it and answers to it", "Understands it deeply, with sympathy",
        ),
    ),
    Dimension(
        "actionability", "Actionability", "Where guidance is called for, does it give any?",
        (
            "Wrong or harmful advice", "None, though clearly needed", "Vague hints only",
            "Some guidance to act on", "Concrete, clear steps to take",
        ),
        hint="Judge first whether steps are wanted here at all (in grief, often not), then how good they are.",
        not_applicable="Not called for here",
    ),
)
OVERALL_QUESTION = "Would you want to receive this reply?"
OVERALL = (
    OverallChoice("yes", "y", "Yes", "A good reply; it would help me"),
    OverallChoice("maybe", "m", "Maybe", "Acceptable, not great"),
    OverallChoice("no", "n", "No", "A poor reply; it would not help me"),
)


@cache
def rubric_version() -> str:
    """A digest of all words that guide raters: with other words, marks mean something else."""
    return hashlib.sha256(repr((DIMENSIONS, OVERALL_QUESTION, OVERALL)).encode()).hexdigest()[:12]
