"""How much a verdict is worth: by the spread of several verdicts, else by the judge's own word.

Self-reported confidence of language models is far too high, so the word is lowered where quotes are not real and gives
way to the spread as soon as there is one.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import stdev

from stoic_assets.core.judging.scores import VirtueScore

ENOUGH = 3
"""Verdicts on one virtue of one trial from which their spread is the confidence."""


def settled(scores: Sequence[VirtueScore]) -> list[VirtueScore]:
    """The scores with `confidence` and `confidence_source`, in the same order.

    Only scored verdicts count and only they get a confidence; the panel's models and samples count alike.
    """
    verdicts: dict[tuple[str, str], list[float]] = defaultdict(list)
    for score in scores:
        if score.score is not None:
            verdicts[score.trial_id, score.virtue].append(score.score)
    return [_settled(score, verdicts[score.trial_id, score.virtue]) for score in scores]


def _settled(score: VirtueScore, verdicts: Sequence[float]) -> VirtueScore:
    if score.score is None:
        return score
    if len(verdicts) >= ENOUGH:
        return replace(score, confidence=by_spread(verdicts), confidence_source="spread")
    return replace(score, confidence=by_own_word(score), confidence_source="self")


def by_spread(verdicts: Sequence[float]) -> float:
    """max(0, 1 − 2·sd) with the sample standard deviation; 0–1."""
    return max(0.0, 1 - 2 * stdev(verdicts))


def by_own_word(score: VirtueScore) -> float | None:
    """The judge's own confidence, halved when none of its quotes is real; 0–1. No quotes, no reduction."""
    if score.self_confidence is None or score.grounded is None:
        return score.self_confidence
    return score.self_confidence * (0.5 + 0.5 * score.grounded)
