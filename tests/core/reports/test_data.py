"""Which totals a report averages."""

from typing import Any

import pytest

from stoic_assets.core.reports.data import without_void_totals
from stoic_assets.core.reports.summary import measures

CRASH: dict[str, Any] = {"trial_id": "t1", "outcome": "agent_error", "overall": 0.0, "passed": None}
QUIET: dict[str, Any] = {"trial_id": "t2", "outcome": "signed_off", "overall": None, "passed": None}


@pytest.mark.parametrize(
    ("changes", "aspirational", "totals"),
    [
        ({}, None, [None, None]),
        ({"passed": False}, None, [0.0, None]),
        ({}, 900.0, [0.0, None]),
        ({"outcome": "max_turns", "overall": 0.4}, None, [0.4, None]),
    ],
)
def test_a_failed_trial_that_was_asked_for_nothing_makes_no_mean_of_the_suite(
    changes: dict[str, Any], aspirational: float | None, totals: list[float | None]
) -> None:
    trials = [{"trial_id": "t1", "aspirational_ms": aspirational}, {"trial_id": "t2"}]
    kept = without_void_totals([CRASH | changes, QUIET], trials)
    assert [row["overall"] for row in kept] == totals
    rows = [row | {"valid": True, "condition": "withheld"} for row in (CRASH | changes, QUIET)]
    assert measures(rows, trials)[0].mean == totals[0]
