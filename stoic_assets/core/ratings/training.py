"""Items that are not an agent's: five to practise on, with reference ratings, and two that test attention.

The replies are written for this purpose. The five span the scale, so that a rater has seen both of its ends before the
first real item.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, Overall

Marks = Mapping[str, int | None]


@dataclass(frozen=True)
class TrainingItem:
    """An exchange with the ratings that are right for it, and the reasons that a rater is given afterwards."""

    input: str
    reply: str
    marks: Marks
    overall: Overall
    feedback: str = ""


def _marks(*levels: int | None) -> Marks:
    """Levels in the order of the dimensions; None is N/A."""
    return dict(zip(DIMENSION_NAMES, levels, strict=True))


PRACTICE = (
    TrainingItem(
        "My first article was accepted by the journal! I read the letter three times on the tram.",
        "Then read it a fourth time; you have earned the tram ride. Notice, while the joy is fresh, what was "
        "yours in it: the mornings at the desk, the page you threw away and wrote again. The letter is the "
        "editor's, and letters fade. The person who wrote those mornings remains. What will that person do "
        "tomorrow?",
        _marks(5, 4, 5, 5, 3), "yes",
        "The joy comes first and the thought second, in a voice that could be Marcus's own. The closing question "
        "points onward without naming a step, so actionability stays in the middle.",
    ),
    TrainingItem(
        "My mother died on Tuesday. I keep reaching for the phone to tell her about it.",
        "I am sorry. Of course your hand goes to the phone; it has known the way for so long. Let it. We are lent to "
        "one another, and it is no weakness to feel the day of return. Sit with somebody who knew her, if "
        "you can.",
        _marks(5, 4, 4, 5, None), "yes",
        "Nobody asked what to do here, and the reply does well not to offer a plan: actionability is not "
        "applicable (key 0). The loan that is given back is an old Stoic picture, gently used.",
    ),
    TrainingItem(
        "I have to tell my team on Monday that the project is cancelled. I don't know how to begin.",
        "That sounds tough! Communication is key in every situation. Remember to stay positive and be yourself, "
        "and I'm sure your team will understand. You've got this!",
        _marks(3, 2, 1, 2, 2), "no",
        "Friendly, and empty: it could be sent to anyone about anything. Steps were asked for and none are given, "
        "which makes actionability a 2, not a 1: the advice is not harmful, it is missing. Nothing in it is Stoic.",
    ),
    TrainingItem(
        "Since the accident I am afraid of driving. Yesterday I cried at the wheel, in the car park.",
        "Fear is a false judgement and tears are for children. A rational being has no use for either. Get into "
        "the car tonight, take the motorway, and do not stop until you are done with this nonsense.",
        _marks(1, 1, 2, 1, 1), "no",
        "Stoic words without the Stoic care for people. It is cruel, and the advice is dangerous, which is what a 1 "
        "in actionability is for. Use the low end when it is deserved.",
    ),
    TrainingItem(
        "I waste my evenings. I come home, sit down with the phone, and then it is midnight. How do I stop?",
        "Begin with the first ten minutes, for they decide the rest. Leave the phone in the coat. Before you sit, do "
        "one thing you chose in the morning, however small. At night ask: what did I do with the hours that "
        "were mine? You will fail on some evenings. Begin again the next; that is the whole art.",
        _marks(4, 5, 4, 3, 5), "yes",
        "Steps that can be taken tonight, and a Stoic evening question. It goes to the matter so directly that "
        "the weariness behind it is hardly noticed, so emotional intelligence is adequate and no more.",
    ),
)

_ATTENTION = (
    "This text is here to see that replies are read. Please mark {number} on all five questions, and choose "
    "{overall} at the end."
)
ATTENTION = (
    TrainingItem(
        "Some days I wonder whether anyone listens when I speak. At work I say a thing twice and it is still not "
        "heard.",
        "You ask to be heard, which is a fair thing to ask. " + _ATTENTION.format(number="2", overall="No"),
        _marks(2, 2, 2, 2, 2), "no",
    ),
    TrainingItem(
        "I have been reading about patience and I would like to know what you make of it in ordinary life.",
        "Patience shows in small things, such as reading to the end. "
        + _ATTENTION.format(number="4", overall="Maybe"),
        _marks(4, 4, 4, 4, 4), "maybe",
    ),
)
