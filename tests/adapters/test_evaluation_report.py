"""Which base a report shows, and that it is written from what is stored, however little that is."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.evaluation_report import report_data, write_report
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.evaluation import EvaluationSpec, Manifest

SPEC = EvaluationSpec(
    jobs=(), addresses={}, agent_model="m", evaluator_model="m", judge_models=("gpt",), judge_samples=1,
    prompts_hash="h",
)  # fmt: skip
START = datetime(2026, 3, 1, 2, tzinfo=UTC)


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    """A project of its own, with nothing in it."""
    (tmp_path / "eval_jobs").mkdir()
    return open_workplace({}, start=tmp_path)


def evaluated(workplace: Workplace, version: str, evaluation_id: str, parents: tuple[str, ...] = ()) -> Manifest:
    """A stored evaluation in which one virtue was scored and the agent said one thing."""
    manifest = Manifest(
        evaluation_id=evaluation_id, agent_version=version, started_at=f"2026-03-01T0{len(evaluation_id)}:00:00+00:00",
        offline=False, run_id="r", spec=SPEC, spec_hash="s", parents=parents,
    )  # fmt: skip
    workplace.evidence.begin(manifest)
    tables: dict[str, dict[str, Any]] = {
        "evaluations": {
            "agent": "marcus", "started_at": START, "status": "finished", "offline": False, "planned_trials": 1,
        },
        "evaluation_virtues": {"agent": "marcus", "virtue": "wisdom", "score": 0.5, "trials": 1, "not_exercised": 0},
        "turns": {"trial_id": "t", "turn": 1, "speaker": "agent", "content": f"I am {evaluation_id}."},
    }  # fmt: skip
    for table, row in tables.items():
        workplace.warehouse.write(table, version, evaluation_id, [row])
    return manifest


def compared(workplace: Workplace, manifest: Manifest, *bases: tuple[str, str]) -> None:
    """Stores a row for each base with which the evaluation was compared."""
    rows = [
        {
            "base": base, "candidate": manifest.agent_version, "measure": "wisdom", "condition": "pooled",
            "gating": True, "jobs": 8, "delta": 0.05, "verdict": "unchanged", "base_evaluation_id": evaluation_id,
            "base_started_at": START, "offline": False, "notes": [],
        }
        for base, evaluation_id in bases
    ]  # fmt: skip
    workplace.warehouse.write("version_comparisons", manifest.agent_version, manifest.evaluation_id, rows)


@pytest.mark.parametrize("stored", [False, True])
def test_where_nothing_was_compared_the_parents_newest_evaluation_is_the_base(
    workplace: Workplace, stored: bool
) -> None:
    for evaluation_id in ("a", "bb"):
        evaluated(workplace, "marcus@1", evaluation_id)
    manifest = evaluated(workplace, "marcus@2", "c", ("marcus@0", "marcus@1"))
    if stored:
        compared(workplace, manifest)
    data = report_data(workplace, manifest)
    assert data.version_comparisons == []
    assert data.base
    assert (data.base.evaluation["agent_version"], data.base.evaluation["evaluation_id"]) == ("marcus@1", "bb")
    assert [row["content"] for row in data.base.turns] == ["I am bb."]


def test_the_evaluation_that_it_was_compared_with_is_the_base(workplace: Workplace) -> None:
    for evaluation_id in ("a", "bb"):
        evaluated(workplace, "marcus@1", evaluation_id)
    manifest = evaluated(workplace, "marcus@2", "c", ("marcus@1",))
    compared(workplace, manifest, ("marcus@0", "z"), ("marcus@1", "a"))
    data = report_data(workplace, manifest)
    assert [row["base"] for row in data.version_comparisons] == ["marcus@1"]
    assert data.base
    assert data.base.evaluation["evaluation_id"] == "a"


def test_a_first_release_has_no_base(workplace: Workplace) -> None:
    assert report_data(workplace, evaluated(workplace, "marcus@1", "a")).base is None


def test_a_report_is_written_when_the_base_is_no_longer_stored(workplace: Workplace) -> None:
    manifest = evaluated(workplace, "marcus@2", "c")
    compared(workplace, manifest, ("marcus@1", "gone"))
    text = write_report(workplace, manifest).read_text(encoding="utf-8")
    assert "Compared with marcus@1" in text
    data = report_data(workplace, manifest)
    assert data.base
    assert data.base.evaluation == {"agent_version": "marcus@1", "evaluation_id": "gone"}
