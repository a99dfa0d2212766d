"""The verdict of a comparison as its rows tell it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.evolution.comparison_verdict import against_base
from stoic_assets.core.settings import MinimalDifferences


def row(measure: str, verdict: str, difference: float = 0.0, gating: bool = True) -> dict[str, Any]:
    return {
        "base": "marcus@1.0.0", "base_evaluation_id": "night-1", "measure": measure, "verdict": verdict,
        "difference": difference, "gating": gating,
    }


def test_measures_stand_with_the_largest_move_first() -> None:
    rows = [row("wisdom", "regressed", -0.1), row("task", "regressed", -0.3), row("timing", "improved", 0.2)]
    assert against_base([*rows, row("courage", "inconclusive")]) == {
        "base": "marcus@1.0.0", "base_evaluation_id": "night-1", "verdict": "regressed",
        "regressed": ["task", "wisdom"], "improved": ["timing"],
    }  # fmt: skip


def test_what_does_not_gate_does_not_decide() -> None:
    assert against_base([]) is None
    assert against_base([row("passed", "regressed", -0.5, gating=False)]) is None


@pytest.mark.parametrize(
    ("drop", "verdict"), [(0.0, "inconclusive"), (0.001, "unchanged"), (0.2, "regressed"), (-0.2, "improved")]
)
def test_it_says_what_the_comparison_says(drop: float, verdict: str) -> None:
    comparison = compare(side("marcus@1.0.0", 0.0), side("marcus@1.1.0", drop), MinimalDifferences(), 0.1)
    told = against_base(comparison.rows())
    assert told is not None
    assert told["verdict"] == comparison.verdict == verdict
    assert told["regressed"] == [row["measure"] for row in comparison.with_verdict("regressed")]
    assert told["improved"] == [row["measure"] for row in comparison.with_verdict("improved")]


def side(version: str, drop: float) -> Side:
    """A version in nine jobs; how far it drops differs a little from job to job."""
    drops = {f"job {number}": drop * (1 + number % 2 / 10) + number % 3 / 1000 for number in range(9)}
    measures = [
        {"job": job, "scenario": None, "condition": "withheld", "measure": measure, "mean": 0.5 - drop}
        for job, drop in drops.items() for measure in GATING
    ]  # fmt: skip
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    return Side(
        agent_version=version, evaluation_id=version, started_at=moment, judged_at=moment, status="finished",
        offline=False, scored_trials=9, invalid_trials=0, evaluator_model="m", judges=frozenset(), prompts={},
        jobs=dict.fromkeys(drops, "hash"), measures=measures,
    )  # fmt: skip
