"""The fitness update: what evolution is told about one evaluation of an agent version.

Trials of holdout jobs never reach it, neither in numbers nor in words: a version bred on them could not be tested
with them any more. The JSON document is described in `docs/evolution.md`.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean
from typing import Any, TypedDict

from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.judging.virtues import VIRTUES, Virtue
from stoic_assets.core.settings import Weakness

MOST_SUGGESTIONS = 10
"""Suggestions for one weak virtue; a longer list is no advice."""
CONFIDENCE = 0.95
Interval = tuple[float | None, float | None, str | None]


class Objective(TypedDict):
    """One virtue over the trials in which it was scored: both numbers are 0–1."""

    mean: float
    confidence: float
    trials: int


@dataclass(frozen=True)
class FitnessUpdate:
    """One evaluation as evolution sees it.

    `fitness` (0–1) is None when no trial was scored; such an update is stored and not delivered. `fitness_low` and
    `fitness_high` are None when `fitness_why` says so. `weak_virtues` begins with the severest; `severity` is 0–1.
    """

    idempotency_key: str
    head: EvaluationHead
    trial_ids: tuple[str, ...]
    task_ids: tuple[str, ...]
    fitness: float | None
    fitness_low: float | None
    fitness_high: float | None
    fitness_why: str | None
    objectives: dict[Virtue, Objective]
    improvement_areas: dict[Virtue, list[str]]
    severity: dict[Virtue, float]

    @property
    def weak_virtues(self) -> list[Virtue]:
        """The virtues that the next version should work on."""
        return list(self.severity)

    @property
    def deliverable(self) -> bool:
        """Whether there is anything to tell."""
        return self.fitness is not None

    def row(self, delivered_at: str | None = None) -> dict[str, Any]:
        """The row of table `fitness_updates`."""
        return {
            "idempotency_key": self.idempotency_key, "agent_id": self.head.agent_id,
            "agent_version": self.head.agent_version, "evaluation_id": self.head.evaluation_id,
            "fitness": self.fitness, "fitness_low": self.fitness_low, "fitness_high": self.fitness_high,
            "fitness_why": self.fitness_why, "objectives": json.dumps(self.objectives),
            "improvement_areas": json.dumps(self.improvement_areas), "weak_virtues": self.weak_virtues,
            "severity": json.dumps(self.severity), "trial_ids": list(self.trial_ids), "delivered_at": delivered_at,
        }

    def payload(self) -> dict[str, Any]:
        """The JSON document that goes to EVOLUTION_URL."""
        return {
            "idempotency_key": self.idempotency_key, "agent_id": self.head.agent_id,
            "agent_version": self.head.agent_version, "evaluation_id": self.head.evaluation_id,
            "timestamp": self.head.timestamp, "offline": self.head.offline, "task_ids": list(self.task_ids),
            "fitness_score": self.fitness, "fitness_low": self.fitness_low, "fitness_high": self.fitness_high,
            "fitness_why": self.fitness_why, "objectives": self.objectives,
            "improvement_areas": self.improvement_areas, "weak_virtues": self.weak_virtues, "severity": self.severity,
        }


def fitness_update(
    head: EvaluationHead, evaluations: Iterable[StoicEvaluation], weakness: Weakness | None = None
) -> FitnessUpdate:
    """The update of one evaluation from its scored trials, those of holdout jobs left out."""
    weakness = weakness or Weakness()
    open_ones = sorted((each for each in evaluations if not each.holdout), key=lambda each: each.id)
    findings = {virtue: _of_virtue(virtue, open_ones) for virtue in VIRTUES}
    objectives = {virtue: _objective(found) for virtue, found in findings.items() if found}
    severity = _severity(objectives, weakness)
    fitness = fmean(each.overall_score for each in open_ones) if open_ones else None
    low, high, why = _interval(open_ones, fitness)
    return FitnessUpdate(
        idempotency_key=_key(head, open_ones, weakness),
        head=head,
        trial_ids=tuple(each.id for each in open_ones),
        task_ids=tuple(dict.fromkeys(each.task_id for each in open_ones)),
        fitness=fitness,
        fitness_low=low,
        fitness_high=high,
        fitness_why=why,
        objectives=objectives,
        improvement_areas={virtue: _suggestions(findings[virtue]) for virtue in severity},
        severity=severity,
    )


def _of_virtue(virtue: Virtue, evaluations: Iterable[StoicEvaluation]) -> list[VirtueFinding]:
    return [each.virtue_scores[virtue] for each in evaluations if virtue in each.virtue_scores]


def _objective(findings: Sequence[VirtueFinding]) -> Objective:
    """The mean weighted by confidence; the plain one where nobody is sure of anything."""
    sure = any(found.confidence for found in findings)
    mean = fmean([found.score for found in findings], [found.confidence for found in findings] if sure else None)
    return {"mean": mean, "confidence": fmean(found.confidence for found in findings), "trials": len(findings)}


def _severity(objectives: dict[Virtue, Objective], weakness: Weakness) -> dict[Virtue, float]:
    """(1 − score)·confidence of the weak virtues, the severest first."""
    found = {
        virtue: (1 - each["mean"]) * each["confidence"]
        for virtue, each in objectives.items()
        if each["mean"] < weakness.score_below and each["confidence"] > weakness.confidence_above
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _suggestions(findings: Iterable[VirtueFinding]) -> list[str]:
    """What is advised in most trials comes first."""
    mentions = Counter(text for found in findings for text in found.improvement_suggestions)
    return sorted(mentions, key=lambda text: (-mentions[text], text))[:MOST_SUGGESTIONS]


def _interval(evaluations: Sequence[StoicEvaluation], fitness: float | None) -> Interval:
    """The 95 % t interval of the mean with jobs as clusters: trials of one job resemble each other.

    se² = k/(k−1) · Σ(n_j·(mean_j − fitness))² / n² (linearised ratio estimator, Cochran, Sampling Techniques, §2.11);
    with equally many trials in each of the k jobs that is the t interval over job means.
    """
    from scipy.special import stdtrit

    jobs: dict[str, list[float]] = defaultdict(list)
    for each in evaluations:
        jobs[each.task_id].append(each.overall_score)
    if fitness is None:
        return None, None, "no trial was scored"
    if len(jobs) < 2:
        return None, None, "all scored trials are of one job; an interval needs two"
    deviations = [fsum(score - fitness for score in scores) for scores in jobs.values()]
    freedom = len(jobs) - 1
    error = sqrt(len(jobs) / freedom * fsum(d * d for d in deviations)) / len(evaluations)
    if error < 1e-9:
        return None, None, "all jobs have the same mean, which says nothing about the spread"
    margin = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    return max(0.0, fitness - margin), min(1.0, fitness + margin), None


def _key(head: EvaluationHead, evaluations: Iterable[StoicEvaluation], weakness: Weakness) -> str:
    """SHA-256 of what was judged and what counts as weak. Rounded, since sums in SQL may differ in the last digit."""
    judged = [[each.id, each.task_id, _digits(each.overall_score), _virtues(each)] for each in evaluations]
    content = [head.agent_version, head.evaluation_id, head.offline, weakness.model_dump(), judged]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _virtues(evaluation: StoicEvaluation) -> dict[str, Any]:
    return {
        virtue: [_digits(found.score), _digits(found.confidence), found.improvement_suggestions]
        for virtue, found in evaluation.virtue_scores.items()
    }


def _digits(number: float) -> str:
    return f"{number:.9f}"
