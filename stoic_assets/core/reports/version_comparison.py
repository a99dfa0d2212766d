"""What differs from the base besides the tested measures: virtue scores, side by side, and results of assertions."""

from collections.abc import Mapping
from dataclasses import dataclass

from stoic_assets.core.comparison.paired_assertions import PairedAssertion, asked_alike, held, paired_assertions
from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.table_rows import Row


@dataclass(frozen=True)
class Differences:
    """The base's row and virtue scores (0–1, None if not scored), and assertions.

    `assertions` counts those that were checked in both; `flips` are those of them whose results changed, `alike` those
    of jobs that ask the same in both.
    """

    base: Row
    virtues: Mapping[str, float | None]
    assertions: int
    flips: list[PairedAssertion]
    alike: list[PairedAssertion]


def differences(data: ReportData) -> Differences | None:
    """What changed since the base version; None where there was no comparison."""
    if data.base is None:
        return None
    before, after = (held(each.composite_scores, each.assertion_results) for each in (data.base, data))
    pairs = paired_assertions(before, after)
    return Differences(
        base=data.base.evaluation,
        virtues={row["virtue"]: row["score"] for row in data.base.evaluation_virtues},
        assertions=len(pairs),
        flips=[pair for pair in pairs if pair.change],
        alike=asked_alike(pairs, data.base.trials, data.trials),
    )
