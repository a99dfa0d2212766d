"""The tables of an evaluation that can be compared, without those of SQL models that a comparison computes."""

from typing import Any

from evaluation_heads import evaluation_head

KEY = ("marcus@1.0.0", "e1")
TRIAL = {"trial_id": "t1", "job": "mentor", "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
TABLES: dict[str, list[dict[str, Any]]] = {
    "evaluations": [
        evaluation_head(
            started_at="2026-11-20T02:00:00+00:00", scored_trials=1, invalid_trials=0, evaluator_model="m",
            prompt_hash="b",
        )
    ],
    "trials": [TRIAL | {"failure_count": 0, "holdout": False, "planned_tasks": 0, "turns": 1}],
    "virtue_scores": [
        {
            "trial_id": "t1", "virtue": virtue, "judge_model": "judge", "sample": 0, "score": 0.5, "confidence": 0.9,
            "confidence_source": "self",
        }
        for virtue in ("wisdom", "courage")
    ],
    "trial_virtues": [
        {
            "trial_id": "t1", "virtue": virtue, "score": 0.5, "confidence": 0.9, "confidence_source": source,
            "verdicts": 1, "failed": 0,
        }
        for virtue, source in (("wisdom", "calibrated"), ("courage", "self"))
    ],
    "composite_scores": [
        TRIAL | {
            "valid": True, "failure_penalty": 0.0, "overall": 0.8, "virtues_scored": 1, "virtues_not_exercised": 0,
            "failure_count": 0,
        }
    ],
    "task_scores": [],
    "assertion_results": [],
}  # fmt: skip
