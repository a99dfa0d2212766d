"""From dimensions of feedback to virtues: which dimension is about which virtue, and how several become one score.

A virtue's score is Σ(score·confidence)/Σ confidence over all its dimensions, its confidence the mean. Nothing depends
on the order of the dimensions, and none is dropped silently.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from stoic_assets.core.dimension_names import key
from stoic_assets.core.evolution.stoic_evaluation import VirtueFinding, distinct
from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics
from stoic_assets.core.ratings.rubric import DimensionName
from stoic_assets.core.virtues import VIRTUES, Virtue

VirtueMap = Mapping[str, Virtue] | Mapping[DimensionName, Virtue]
"""Dimension to virtue."""


@dataclass(frozen=True)
class Translation:
    """The virtues in feedback, in their usual order, and the dimensions that are mapped to none."""

    virtue_scores: dict[Virtue, VirtueFinding]
    unmapped: tuple[str, ...]


def translated(metrics: Metrics, virtues: VirtueMap) -> Translation:
    """The virtues in one person's feedback.

    Suggestions without a virtue (those of the feedback as a whole, and those of unmapped dimensions) go to the virtue
    of the dimension with the lowest score, to all of them where several are lowest.
    """
    known: dict[str, Virtue] = {key(dimension): virtue for dimension, virtue in virtues.items()}
    entries = sorted(metrics.dimension_feedback, key=lambda entry: entry.model_dump_json())
    mapped = [entry for entry in entries if key(entry.dimension) in known]
    strays = [entry for entry in entries if key(entry.dimension) not in known]
    loose = [text for entry in strays for text in entry.improvement_suggestions] + [*metrics.improvement_suggestions]
    lowest = min((entry.score for entry in mapped), default=None)
    found = {}
    for virtue in VIRTUES:
        own = [entry for entry in mapped if known[key(entry.dimension)] == virtue]
        if own:
            found[virtue] = _finding(own, loose if any(entry.score == lowest for entry in own) else [])
    return Translation(found, tuple(dict.fromkeys(entry.dimension for entry in strays)))


def blended(scores: Sequence[float], confidences: Sequence[float]) -> tuple[float, float]:
    """Score and confidence of several together; the unweighted mean if all confidences are 0."""
    return fmean(scores, confidences if any(confidences) else None), fmean(confidences)


def _finding(entries: Sequence[DimensionFeedback], further: Iterable[str]) -> VirtueFinding:
    score, confidence = blended([entry.score for entry in entries], [entry.confidence for entry in entries])
    said = "; ".join(f"{entry.dimension} {entry.score:.2f} (confidence {entry.confidence:.2f})" for entry in entries)
    return VirtueFinding(
        score=score,
        reasoning=f"People on {said}",
        supporting_examples=distinct(text for entry in entries for text in entry.supporting_quotes),
        improvement_suggestions=distinct(
            [*(text for entry in entries for text in entry.improvement_suggestions), *further]
        ),
        confidence=confidence,
    )
