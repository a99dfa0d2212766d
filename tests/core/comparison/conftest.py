"""Sides of a comparison as small as a test needs them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from compared_sides import BROKEN, KEPT, LESS, MENDED, ONCE, reminders, side

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.family import Test
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.configuration.settings import MinimalDifferences

Test.__test__ = False  # type: ignore[attr-defined]  # a class of ours that pytest takes for one of tests
Row = dict[str, Any]
MakeSide = Callable[..., Side]
MakeRows = Callable[..., list[Row]]


def _rows(means: Mapping[str, float], measure: str = "wisdom", condition: str = "withheld") -> list[Row]:
    return [
        {"job": job, "scenario": None, "condition": condition, "measure": measure, "mean": mean, "trials": 3,
         "invalid_trials": 0}
        for job, mean in means.items()
    ]  # fmt: skip


def _side(**changes: Any) -> Side:
    given: Row = {
        "agent_version": "marcus@1.0.0", "evaluation_id": "e1", "started_at": datetime(2026, 11, 21, 2, tzinfo=UTC),
        "judged_at": datetime(2026, 11, 21, 3, tzinfo=UTC), "status": "finished", "offline": False,
        "scored_trials": 30, "invalid_trials": 0, "evaluator_model": "m", "judges": frozenset(["j"]),
        "prompts": {("a", "virtues"): frozenset(["p"])}, "jobs": {"a": "1", "b": "1"},
        "measures": _rows({"a": 0.5, "b": 0.6}),
    }  # fmt: skip
    return Side(**given | changes)


@pytest.fixture
def make_rows() -> MakeRows:
    """Rows of `job_measures` of one measure and condition."""
    return _rows


@pytest.fixture
def make_side() -> MakeSide:
    """A finished evaluation of two jobs; any field may be given."""
    return _side


@pytest.fixture
def base(make_side: MakeSide) -> Side:
    return make_side()


@pytest.fixture
def candidate(make_side: MakeSide) -> Side:
    return make_side(agent_version="marcus@1.1.0", evaluation_id="e2")


@pytest.fixture
def worse() -> Comparison:
    before = side("1.0.0", {"assertion": 1.0, "wisdom": 0.8, "task": 0.7})
    after = side("1.1.0", {"assertion": 0.6, "wisdom": 0.8, "task": 0.7}, noisy=True)
    return compare(before, after, MinimalDifferences(), 0.1)


@pytest.fixture
def turned(worse: Comparison) -> Comparison:
    return replace(worse, assertions=(BROKEN, ONCE, LESS, KEPT, MENDED))


@pytest.fixture
def forgetful() -> Comparison:
    """No measure decides anything; of twenty reminders nine are stored, of nineteen before."""
    same = side("1.0.0", {"assertion": 1.0}), side("1.1.0", {"assertion": 0.95}, noisy=True)
    found = compare(*same, MinimalDifferences(), 0.1)
    return replace(found, assertions=(*reminders((5, 2), (5, 1), (5, 5), (4, 1)), KEPT))
