"""What the judges found in one trial, as one document: a score, a confidence, reasons and advice for each virtue.

Events, the fitness update and the stoic graph are all made from these. The SQL models compute scores from verdicts;
here only the texts are collected.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from stoic_assets.core.jobs.names import played
from stoic_assets.core.moments import utc_text
from stoic_assets.core.releases import agent_of
from stoic_assets.core.table_rows import Row, by_trial
from stoic_assets.core.virtues import VIRTUES, Virtue


@dataclass(frozen=True)
class EvaluationHead:
    """Which evaluation it was.

    `time` must not change between calls (use the start of the evaluation, for example), so that a repeat gives equal
    documents. `offline` says that the scores mean nothing.
    """

    agent_version: str
    evaluation_id: str
    time: datetime | str
    offline: bool = False

    @property
    def agent_id(self) -> str:
        """The agent of the version."""
        return agent_of(self.agent_version)

    @property
    def timestamp(self) -> str:
        """`time` as ISO 8601 in UTC."""
        return utc_text(self.time)


@dataclass(frozen=True)
class VirtueFinding:
    """One virtue of one trial over all its verdicts; score and confidence are 0–1."""

    score: float
    reasoning: str
    supporting_examples: tuple[str, ...]
    improvement_suggestions: tuple[str, ...]
    confidence: float


@dataclass(frozen=True)
class StoicEvaluation:
    """One scored trial. `id` is the trial's, `task_id` its job, `holdout` whether evolution must not learn from it.

    Score and confidence are 0–1, and None where no virtue was scored: the agent `failed`, or none was exercised.
    `calibrated` are the virtues whose confidence was read from a map fitted to people's ratings, or is raters'
    agreement, and so does not depend on a judge's own.
    """

    id: str
    head: EvaluationHead
    task_id: str
    virtue_scores: Mapping[Virtue, VirtueFinding]
    overall_score: float | None
    overall_confidence: float | None
    holdout: bool = False
    source: Literal["llm", "human"] = "llm"
    scenario: str | None = None
    failed: bool = False
    calibrated: frozenset[Virtue] = frozenset()

    @property
    def observed(self) -> str:
        """What counts as one observation, as in comparisons: the job, or the scenario of it."""
        return played(self.task_id, self.scenario)

    @property
    def notes(self) -> str | None:
        """A note on the virtues without a score; None if there are none."""
        missing = [virtue for virtue in VIRTUES if virtue not in self.virtue_scores]
        return f"not scored: {', '.join(missing)}" if missing else None

    def document(self) -> dict[str, Any]:
        """The evaluation as JSON data, in the form that events carry."""
        return {
            "id": self.id, "agent_id": self.head.agent_id, "agent_version": self.head.agent_version,
            "task_id": self.task_id, "timestamp": self.head.timestamp,
            "virtue_scores": {virtue: dict(vars(finding)) for virtue, finding in self.virtue_scores.items()},
            "overall_score": self.overall_score, "overall_confidence": self.overall_confidence,
            "notes": self.notes, "source": self.source,
        }


def stoic_evaluations(
    head: EvaluationHead,
    trials: Iterable[Row],
    composites: Iterable[Row],
    virtues: Iterable[Row],
    verdicts: Iterable[Row],
) -> list[StoicEvaluation]:
    """One for each scored trial, in the order of trial ids.

    The rows are those of `trials`, `composite_scores`, `trial_virtues` and `virtue_scores` of one evaluation.
    """
    held = {trial["trial_id"]: trial for trial in trials}
    scored, words = (by_trial(row for row in rows if row["score"] is not None) for rows in (virtues, verdicts))
    valid = {row["trial_id"]: row for row in composites if row["valid"]}
    return [
        _evaluation(head, valid[trial], held.get(trial, {}), scored[trial], words[trial]) for trial in sorted(valid)
    ]


def _evaluation(
    head: EvaluationHead, composite: Row, trial: Row, scores: Sequence[Row], verdicts: Sequence[Row]
) -> StoicEvaluation:
    return StoicEvaluation(
        id=composite["trial_id"], head=head, task_id=composite["job"], virtue_scores=_findings(scores, verdicts),
        overall_score=composite["virtue_overall"], overall_confidence=composite["virtue_confidence"],
        holdout=bool(trial.get("holdout")), scenario=trial.get("scenario"),
        failed=composite["outcome"] == "agent_error",
        calibrated=frozenset(row["virtue"] for row in scores if row.get("confidence_source") == "calibrated"),
    )


def _findings(scores: Sequence[Row], verdicts: Sequence[Row]) -> dict[Virtue, VirtueFinding]:
    """The scored virtues in their usual order; verdicts are ordered by judge and sample, since rows have no order."""
    by_virtue = {row["virtue"]: row for row in scores}
    ordered = sorted(verdicts, key=lambda row: (row["judge_model"], row["sample"]))
    return {
        virtue: _finding(by_virtue[virtue], [row for row in ordered if row["virtue"] == virtue])
        for virtue in VIRTUES
        if virtue in by_virtue
    }


def _finding(score: Row, verdicts: Sequence[Row]) -> VirtueFinding:
    """The panel's score with the reasoning of the verdict closest to it, and the examples of all verdicts."""
    nearest = min(verdicts, key=lambda verdict: abs(verdict["score"] - score["score"]))
    return VirtueFinding(
        score=score["score"],
        reasoning=nearest["reasoning"] or "",
        supporting_examples=distinct(text for row in verdicts for text in row["supporting_examples"] or ()),
        improvement_suggestions=distinct(text for row in verdicts for text in row["improvement_suggestions"] or ()),
        confidence=score["confidence"],
    )


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each text once, stripped, in the order of first occurrence; empty ones are left out."""
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
