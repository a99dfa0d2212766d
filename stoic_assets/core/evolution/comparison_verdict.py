"""Whether a version is better than its base, with the verdicts of the comparison."""

from collections.abc import Iterable
from typing import TypedDict

from stoic_assets.core.comparison.family import Verdict, by_size, overall
from stoic_assets.core.table_rows import Row


class AgainstBase(TypedDict):
    """The verdict on a version against `base`; `regressed` and `improved` name measures, the largest change first."""

    base: str
    base_evaluation_id: str
    verdict: Verdict
    regressed: list[str]
    improved: list[str]


def against_base(rows: Iterable[Row]) -> AgainstBase | None:
    """The verdict in rows of `version_comparisons` with one base; None where no measure decides."""
    gating = [row for row in rows if row["gating"]]
    if not gating:
        return None
    return {
        "base": gating[0]["base"],
        "base_evaluation_id": gating[0]["base_evaluation_id"],
        "verdict": overall(gating),
        "regressed": [row["measure"] for row in by_size(gating, "regressed")],
        "improved": [row["measure"] for row in by_size(gating, "improved")],
    }
