"""What people found, in a workplace: a model that reads dialogues, rated trials, and the table of all of it."""

import asyncio
import json
from typing import Any

from evaluation_heads import evaluation_head
from scripted_model import ScriptedModel

from stoic_assets.adapters.ratings.feedback_files import FeedbackRows, read_feedback, store_feedback
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ModelFailure

VERSION = "marcus@1.1.0"
START = "2026-03-01T02:00:00Z"
DIALOGUE = {
    "agent_version": VERSION, "task_id": "mentor",
    "dialogue": [{"role": "user", "content": "It missed the deadline. My key is sk-0123456789abcdefgh."}],
}  # fmt: skip
REPLY = {
    "dimension_feedback": [
        {
            "dimension": "accuracy", "supporting_quotes": ["It missed the deadline."], "sentiment": "negative",
            "improvement_suggestions": [], "score": 0.25, "confidence": 0.8,
        }
    ],
    "improvement_suggestions": [], "acceptance_status": "rejected", "overall_satisfaction": 0.2,
    "interpretation_confidence": 0.9,
}  # fmt: skip


def reader(failure: str = "") -> ScriptedModel:
    """A model that reads every dialogue alike, or fails."""
    return ScriptedModel(by=lambda _: ModelFailure(failure) if failure else json.dumps(REPLY))


def taken(workplace: Workplace, model: ScriptedModel | None = None) -> FeedbackRows:
    found = asyncio.run(read_feedback(workplace, model and (lambda _: model)))
    store_feedback(workplace, found)
    return found


def table(workplace: Workplace) -> list[dict[str, Any]]:
    return workplace.warehouse.query("select * from human_feedback_evaluations order by feedback_id")


def evaluated(workplace: Workplace, version: str, started_at: str = START) -> None:
    workplace.warehouse.write("evaluations", version, "night", [evaluation_head(started_at=started_at)])


def conversed(workplace: Workplace, trial_id: str = "t1", holdout: bool = False, scenario: str | None = None) -> None:
    trial = {
        "trial_id": trial_id, "job": "mentor", "holdout": holdout, "scenario": scenario, "condition": "withheld",
        "repeat": 1, "outcome": "signed_off", "failure_count": 0, "planned_tasks": 1, "turns": 2,
    }  # fmt: skip
    workplace.warehouse.write("trials", VERSION, "night", [trial])


def rated(workplace: Workplace, *raters: str) -> None:
    marks = dict.fromkeys(
        ("appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability"), 4
    )
    rows = [
        {
            "rater_id": rater, "test_id": "x1", "trial_id": "t1", **marks, "overall": "yes", "comments": "",
            "practice": False, "attention": False, "rated_at": START,
        }
        for rater in raters
    ]  # fmt: skip
    workplace.warehouse.write("human_ratings", VERSION, "night", rows)
