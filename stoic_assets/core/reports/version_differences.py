"""The plain differences between two versions: means side by side, and the assertions whose results changed.

No statistics: the comparison decides whether a difference is more than chance.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from stoic_assets.core.comparison.paired_assertions import PairedAssertion, held, paired_assertions
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.presentation.ordering import natural
from stoic_assets.core.reports.data import BaseVersion, ReportData
from stoic_assets.core.reports.summary import measures
from stoic_assets.core.table_rows import Row


@dataclass(frozen=True)
class Difference:
    """One measure of both versions; `change` is this version's mean less the base's."""

    measure: str
    base: float | None
    this: float | None

    @property
    def change(self) -> float | None:
        """None where one of the two is missing."""
        return None if self.base is None or self.this is None else self.this - self.base


@dataclass(frozen=True)
class Differences:
    """This version against the base; `only_base` and `only_this` are jobs that the other one did not run.

    `assertions` counts those that were checked in both; `flips` are those of them whose results changed.
    """

    base: Row
    measures: list[Difference]
    assertions: int
    flips: list[PairedAssertion]
    only_base: list[str]
    only_this: list[str]


def differences(data: ReportData) -> Differences | None:
    """What changed since the base version; None where there is none to compare with."""
    if data.base is None:
        return None
    old = {row["job"] for row in data.base.composite_scores}
    new = {row["job"] for row in data.composite_scores}
    before, after = (held(each.composite_scores, each.assertion_results) for each in (data.base, data))
    pairs = paired_assertions(before, after)
    return Differences(
        base=data.base.evaluation,
        measures=_of_scores(data, data.base) + _of_virtues(data.evaluation_virtues, data.base.evaluation_virtues),
        assertions=len(pairs),
        flips=[pair for pair in pairs if pair.change],
        only_base=sorted(old - new, key=natural),
        only_this=sorted(new - old, key=natural),
    )


def _of_scores(data: ReportData, base: BaseVersion) -> list[Difference]:
    sides = (measures(each.composite_scores, each.trials) for each in (base, data))
    pairs = zip(*sides, strict=True)
    return [Difference(before.name, before.mean, after.mean) for before, after in pairs]


def _of_virtues(this: Iterable[Row], base: Iterable[Row]) -> list[Difference]:
    after, before = ({row["virtue"]: row["score"] for row in rows} for rows in (this, base))
    return [Difference(virtue, before.get(virtue), after.get(virtue)) for virtue in VIRTUES]
