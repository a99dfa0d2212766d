"""What an evaluation announces, as CloudEvents 1.0 in JSON.

An event made again from the same evaluation is the same. The outbox delivers events.
"""

from dataclasses import dataclass
from typing import Any

from stoic_assets.core.evolution.fitness import FitnessUpdate
from stoic_assets.core.evolution.fitness_comparison import AgainstBase
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation
from stoic_assets.core.text.json_text import json_text

COMPLETED = "agent.evaluation.stoic_completed"
APPLIED = "evolution.stoic_evaluation_applied"
COMPARED = "stoic.version_compared"
SOURCE = "/stoic-eval"


@dataclass(frozen=True)
class Event:
    """One event. `subject` is what it is about, usually an agent version; `time` is ISO 8601 in UTC."""

    id: str
    type: str
    subject: str
    time: str
    data: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """The event in the structured JSON form."""
        return {
            "specversion": "1.0", "id": self.id, "source": SOURCE, "type": self.type, "subject": self.subject,
            "time": self.time, "datacontenttype": "application/json", "data": self.data,
        }

    def row(self, delivered_at: str | None = None) -> dict[str, Any]:
        """The row of table `events`."""
        return {
            "id": self.id, "type": self.type, "subject": self.subject, "time": self.time,
            "data": json_text(self.data), "delivered_at": delivered_at,
        }


def events_of_evaluation(head: EvaluationHead) -> set[str]:
    """The ids of events about a whole evaluation."""
    return {head.evaluation_id, f"{head.evaluation_id}.compared"}


def completed(evaluation: StoicEvaluation) -> Event:
    """A trial was judged; its id is the trial's."""
    head = evaluation.head
    data = {
        "agent_id": head.agent_id, "agent_version": head.agent_version, "evaluation_id": head.evaluation_id,
        "task_id": evaluation.task_id, "overall_score": evaluation.overall_score,
        "virtue_scores": {virtue: found.score for virtue, found in evaluation.virtue_scores.items()},
        "holdout": evaluation.holdout, "offline": head.offline, "evaluation": evaluation.document(),
    }
    return Event(evaluation.id, COMPLETED, head.agent_version, head.timestamp, data)


def applied(update: FitnessUpdate) -> Event | None:
    """The fitness of an evaluation is known, or withdrawn; the event's id is the evaluation's.

    None where the update is not to be delivered either.
    """
    if not update.deliverable:
        return None
    head = update.head
    data = {
        "agent_id": head.agent_id, "agent_version": head.agent_version, "task_id": head.evaluation_id,
        "task_ids": list(update.task_ids), "fitness_score": update.fitness, "weak_virtues": update.weak_virtues,
        "timestamp": head.timestamp, "offline": head.offline,
        "revision": update.revision, "conclusive": update.conclusive, "fitness_why": update.fitness_why,
        "scored_trials": update.scored_trials, "failed_trials": update.failed_trials, "scale": update.scale.key,
    }
    return Event(head.evaluation_id, APPLIED, head.agent_version, head.timestamp, data)


def compared(head: EvaluationHead, found: AgainstBase) -> Event:
    """A version was compared with its base. The verdict counts holdout jobs, so evolution must not read it."""
    data = {
        "agent_id": head.agent_id, "agent_version": head.agent_version, "evaluation_id": head.evaluation_id,
        **found, "offline": head.offline,
    }
    return Event(f"{head.evaluation_id}.compared", COMPARED, head.agent_version, head.timestamp, data)
