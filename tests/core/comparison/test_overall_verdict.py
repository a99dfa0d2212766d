"""The verdict on a version, which follows from those on its measures, and what failed trials ruled out."""

import math
from typing import Any

import pytest

from stoic_assets.core.comparison.family import by_size, overall, ruled_out
from stoic_assets.core.comparison.measures import NOT_MEASURED


def row(verdict: str, change: float = 0.0, p_adjusted: float | None = None, reach: float = 0.2) -> dict[str, Any]:
    """A row of `version_comparisons` with a 90 % interval that reaches so far to each side."""
    ends = {"low_90": change - reach, "high_90": change + reach}
    return {"verdict": verdict, "difference": change, "delta": 0.05, "p_adjusted": p_adjusted, "why": None, **ends}


LACKING = row("inconclusive") | {"why": NOT_MEASURED}


@pytest.mark.parametrize(
    ("rows", "together"),
    [
        ([row("unchanged"), row("unchanged")], "unchanged"), ([row("unchanged"), row("inconclusive")], "inconclusive"),
        ([row("improved"), row("inconclusive")], "improved"), ([row("improved"), row("regressed")], "regressed"),
        ([row("improved"), row("inconclusive", -0.1, 0.01)], "inconclusive"),  # failed trials held a regression open
        ([row("improved"), row("inconclusive", 0.1, 0.01)], "improved"),
        ([row("improved"), row("inconclusive", -0.1, 0.2)], "improved"),
        ([row("improved"), row("inconclusive", -0.04, 0.01)], "improved"),
        ([row("regressed"), row("inconclusive", -0.1, 0.01)], "regressed"),
        ([row("unchanged"), LACKING], "unchanged"), ([row("inconclusive"), LACKING], "inconclusive"),
        ([LACKING], "inconclusive"), ([], "inconclusive"),
    ],
)  # fmt: skip
def test_the_verdict_on_a_version_follows_from_those_on_its_measures(rows: list[dict[str, Any]], together: str) -> None:
    assert overall(rows) == together


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (row("inconclusive", -0.05 + 1e-12, 0.05), "regressed"),
        (row("inconclusive", 0.05, 0.05), "improved"),
        (row("inconclusive", -0.05, 0.051), None),
        (row("inconclusive", 0.0, 1.0, reach=0.04), "unchanged"),
        (row("inconclusive", 0.01, 1.0, reach=0.04), None),  # up to exactly δ
        (row("inconclusive", -0.01, 1.0, reach=0.04), None),
        (row("inconclusive", -0.3, None, reach=0.01), None),  # the judge changed: not tested
        (row("inconclusive", -0.3, math.nan), None),
        (row("regressed", -0.3, 0.01), None),
        (row("inconclusive", 0.0, 1.0) | {"low_90": None, "high_90": None}, None),
    ],
)  # fmt: skip
def test_the_verdict_that_failed_trials_ruled_out_is_that_of_the_numbers(
    found: dict[str, Any], verdict: str | None
) -> None:
    assert ruled_out(found) == verdict


def test_the_largest_move_comes_first() -> None:
    moves = (("a", "regressed", -0.1), ("b", "improved", 0.5), ("c", "regressed", -0.3), ("d", "regressed", None))
    rows = [{"measure": measure, "verdict": verdict, "difference": moved} for measure, verdict, moved in moves]
    assert [row["measure"] for row in by_size(rows, "regressed")] == ["c", "a", "d"]
