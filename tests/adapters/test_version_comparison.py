"""What is read of an evaluation to compare it, and that reading leaves the warehouse as it was."""

from pathlib import Path
from typing import Any

from stoic_assets.adapters.version_comparison import read_side
from stoic_assets.adapters.workplace import Workplace

KEY = ("marcus@1.0.0", "e1")
TRIAL = {"trial_id": "t1", "job": "mentor", "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
TABLES: dict[str, list[dict[str, Any]]] = {
    "evaluations": [
        {
            "agent": "marcus", "started_at": "2026-11-20T02:00:00+00:00", "status": "finished", "offline": False,
            "planned_trials": 1, "scored_trials": 1, "invalid_trials": 0, "evaluator_model": "m",
        }
    ],
    "trials": [TRIAL | {"failure_count": 0, "holdout": False, "planned_tasks": 0, "turns": 1}],
    "virtue_scores": [
        {
            "trial_id": "t1", "virtue": virtue, "judge_model": "judge", "sample": 0, "score": 0.5, "confidence": 0.9,
            "confidence_source": source,
        }
        for virtue, source in (("wisdom", "calibrated"), ("courage", "self"))
    ],
    "trial_virtues": [
        {"trial_id": "t1", "virtue": "wisdom", "score": 0.5, "confidence": 0.9, "verdicts": 1, "failed": 0}
    ],
    "composite_scores": [
        TRIAL | {
            "valid": True, "failure_penalty": 0.0, "overall": 0.8, "virtues_scored": 1, "virtues_not_exercised": 0,
            "failure_count": 0,
        }
    ],
}  # fmt: skip


def files(workplace: Workplace) -> set[Path]:
    return {path for path in workplace.project.warehouse.rglob("*.parquet") if "agent_version=_" not in path.parts}


def test_an_evaluation_older_than_a_table_is_read_and_nothing_is_written(workplace: Workplace) -> None:
    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    before = files(workplace)
    side = read_side(workplace, *KEY)
    assert {row["measure"]: row["mean"] for row in side.measures} == {"wisdom": 0.5, "overall": 0.8}
    assert files(workplace) == before


def test_a_side_knows_how_many_confidences_are_calibrated(workplace: Workplace) -> None:
    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).calibrated == 0.5
