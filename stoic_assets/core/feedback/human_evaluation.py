"""Findings of one person, or of the raters of one reply: row of `human_feedback_evaluations`, and StoicEvaluation.

A StoicEvaluation is made only from the row, so that what is published is what was stored.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.feedback.feedback_file import Metrics
from stoic_assets.core.feedback.translation import VirtueMap, blended, translated
from stoic_assets.core.releases import agent_of
from stoic_assets.core.table_rows import Row

Kind = Literal["metrics", "dialogue", "ratings"]
FEEDBACK = "human-feedback"
"""The evaluation under which tables store all feedback files of a version."""
RATINGS = "human-ratings"
"""The evaluation under which tables store the rated replies of a version."""


@dataclass(frozen=True)
class HumanFeedback:
    """Feedback as collected. `origin` names the file; `interpreter` is set where a model read a dialogue."""

    id: str
    kind: Kind
    agent_version: str
    task_id: str
    given_at: datetime
    metrics: Metrics
    origin: str | None = None
    trial_id: str | None = None
    interpreter: str | None = None


def human_row(feedback: HumanFeedback, virtues: VirtueMap) -> dict[str, Any]:
    """The row of `human_feedback_evaluations`; `virtues` maps dimensions to virtues."""
    metrics, translation = feedback.metrics, translated(feedback.metrics, virtues)
    scores = {virtue: asdict(finding) for virtue, finding in translation.virtue_scores.items()}
    overall_score, overall_confidence = _overall(metrics)
    return {
        "agent_version": feedback.agent_version,
        "evaluation_id": RATINGS if feedback.kind == "ratings" else FEEDBACK,
        "feedback_id": feedback.id,
        "kind": feedback.kind,
        "agent_id": agent_of(feedback.agent_version),
        "task_id": feedback.task_id,
        "trial_id": feedback.trial_id,
        "given_at": feedback.given_at,
        "overall_score": overall_score,
        "overall_confidence": overall_confidence,
        "acceptance_status": metrics.acceptance_status,
        "virtue_scores": json.dumps(scores),
        "unmapped_dimensions": list(translation.unmapped),
        "metrics": metrics.model_dump_json(),
        "interpreter": feedback.interpreter,
        "origin": feedback.origin,
    }


def _overall(metrics: Metrics) -> tuple[float | None, float | None]:
    """Overall score and confidence as given, else those of all dimensions together."""
    score, sure = metrics.overall_satisfaction, metrics.interpretation_confidence
    if score is not None and sure is not None:
        return score, sure
    said = metrics.dimension_feedback
    of_all = blended([each.score for each in said], [each.confidence for each in said])
    return of_all[0] if score is None else score, of_all[1] if sure is None else sure


def human_evaluation(
    row: Row, holdouts: Collection[str] = (), scenarios: Mapping[str, str] | None = None
) -> StoicEvaluation | None:
    """The StoicEvaluation of a row, None where no dimension is mapped to a virtue.

    `holdouts` are the jobs from which evolution must not learn, `scenarios` the scenarios of trials that have one.
    Raters' agreement counts as calibrated confidence: three who agree entirely have a confidence of 2/3.
    """
    findings = {virtue: _finding(each) for virtue, each in json.loads(row["virtue_scores"]).items()}
    if not findings:
        return None
    return StoicEvaluation(
        id=row["feedback_id"],
        head=EvaluationHead(row["agent_version"], row["evaluation_id"], row["given_at"]),
        task_id=row["task_id"],
        virtue_scores=findings,
        overall_score=row["overall_score"],
        overall_confidence=row["overall_confidence"],
        holdout=row["task_id"] in holdouts,
        source="human",
        scenario=(scenarios or {}).get(row["trial_id"]),
        calibrated=frozenset(findings if row["kind"] == "ratings" else ()),
    )


def _finding(data: Row) -> VirtueFinding:
    lists = ("supporting_examples", "improvement_suggestions")
    return VirtueFinding(**{**data, **{name: tuple(data[name]) for name in lists}})
