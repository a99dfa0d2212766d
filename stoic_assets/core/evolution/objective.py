"""One virtue as an objective of evolution: its mean, its uncertainty, and whether it is above its floor."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypedDict

from stoic_assets.core.configuration.settings import Evolution, Weakness
from stoic_assets.core.evolution.estimate import ClusteredMean, WeightedScore, estimated
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation
from stoic_assets.core.rounding import falls_short
from stoic_assets.core.virtues import VIRTUES, Virtue


class Floor(TypedDict):
    """The score below which gains elsewhere do not compensate for a virtue.

    It is `violated` when the mean is below, `certain` when the upper end of the interval is below as well.
    """

    at: float
    violated: bool
    certain: bool


class Objective(TypedDict):
    """One virtue over the trials in which it was scored; all numbers except `trials` are 0–1.

    `calibrated` is the share of trials whose confidence comes from people's ratings and not from a judge's own. `low`
    and `high` are the 95 % interval of the mean, `lower_bound` its one-sided 95 % bound; they are None where `why`
    gives a reason. `certainly_low` means that `high` is below the score under which a virtue can be weak.
    """

    mean: float
    confidence: float
    calibrated: float
    trials: int
    low: float | None
    high: float | None
    lower_bound: float | None
    why: str | None
    certainly_low: bool
    floor: Floor | None


Objectives = Mapping[Virtue, Objective]


def objectives(
    evaluations: Sequence[StoicEvaluation], floors: Mapping[Virtue, float], weakness: Weakness | None = None
) -> dict[Virtue, Objective]:
    """The virtues that were scored, in their usual order."""
    low = (weakness or Weakness()).score_below
    found = {virtue: _objective(virtue, evaluations, floors.get(virtue), low) for virtue in VIRTUES}
    return {virtue: objective for virtue, objective in found.items() if objective}


def _objective(
    virtue: Virtue, evaluations: Sequence[StoicEvaluation], floor: float | None, low: float
) -> Objective | None:
    """One virtue, with the mean weighted by confidence; None where it was not scored."""
    heard = [each for each in evaluations if virtue in each.virtue_scores]
    found = [(each.observed, each.virtue_scores[virtue]) for each in heard]
    estimate = estimated([WeightedScore(job, finding.score, finding.confidence) for job, finding in found])
    if estimate.mean is None:
        return None
    return {
        "mean": estimate.mean, "confidence": fmean(finding.confidence for _, finding in found),
        "calibrated": fmean(virtue in each.calibrated for each in heard),
        "trials": len(found), "low": estimate.low, "high": estimate.high, "lower_bound": estimate.lower_bound,
        "why": estimate.why, "certainly_low": _certainly_below(low, estimate),
        "floor": None if floor is None else _floor(floor, estimate),
    }


def _floor(at: float, estimate: ClusteredMean) -> Floor:
    violated = estimate.mean is not None and falls_short(estimate.mean, at)
    return {"at": at, "violated": violated, "certain": _certainly_below(at, estimate)}


def _certainly_below(bound: float, estimate: ClusteredMean) -> bool:
    return estimate.high is not None and falls_short(estimate.high, bound)


def below_floor(found: Objectives) -> list[Virtue]:
    """The virtues whose mean is below their floor, the one furthest below first."""
    depths = {
        virtue: each["floor"]["at"] - each["mean"]
        for virtue, each in found.items()
        if each["floor"] and each["floor"]["violated"]
    }
    return sorted(depths, key=lambda virtue: -depths[virtue])


def balanced(found: Objectives) -> float | None:
    """The mean of the worst virtue, so that none can compensate for another; None unless all five were scored."""
    return min(each["mean"] for each in found.values()) if len(found) == len(VIRTUES) else None


def severities(found: Objectives, weakness: Weakness) -> dict[Virtue, float]:
    """(1 − score)·confidence of the weak virtues, the most severe first."""
    weak = {
        virtue: (1 - each["mean"]) * each["confidence"]
        for virtue, each in found.items()
        if falls_short(each["mean"], weakness.score_below) and _is_sure(each, weakness)
    }
    return dict(sorted(weak.items(), key=lambda item: -item[1]))


def uncertain(found: Objectives, weakness: Weakness, evolution: Evolution) -> list[Virtue]:
    """The virtues to measure again before anything is changed for them, in their usual order.

    One is uncertain if it was not scored, its interval is missing or too wide, or the judges' confidence is too low.
    """
    return [
        virtue for virtue in VIRTUES
        if virtue not in found
        or not _is_sure(found[virtue], weakness)
        or _too_wide(found[virtue], evolution.uncertain_width)
    ]


def _is_sure(found: Objective, weakness: Weakness) -> bool:
    above = weakness.sure_above(found["calibrated"])
    return falls_short(above, found["confidence"])


def _too_wide(found: Objective, width: float) -> bool:
    low, high = found["low"], found["high"]
    return low is None or high is None or falls_short(width, high - low)
