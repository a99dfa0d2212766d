"""The results of each job in both versions: its scores, how often it passed, and its assertions that flipped.

No statistics: the comparison decides whether a difference is more than chance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.comparison.paired_jobs import Cell, cell_of
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.names import natural
from stoic_assets.core.reports.data import mean
from stoic_assets.core.reports.trial_view import TrialView
from stoic_assets.core.rounding import ROUNDING, as_shown, falls_short
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES

Measure = Literal["overall", "virtue_overall"]
"""A column of `composite_scores`."""
MOST_CHANGED = 8


@dataclass(frozen=True)
class JobChange:
    """The scored trials of one job under one condition in both versions; `flips` are its flipped assertions."""

    job: str
    condition: str
    base: list[TrialView]
    this: list[TrialView]
    flips: list[PairedAssertion]

    @cached_property
    def measure(self) -> Measure:
        """What tells the change: the total, or the virtues where nothing but time was asked or the total is equal.

        Jobs with changed results are always told by their total.
        """
        told = self.flipped or (self.asked and _differ(self._means("overall")))
        return "overall" if told or not _differ(self._means("virtue_overall")) else "virtue_overall"

    @property
    def asked(self) -> bool:
        """Whether anything is asked that a trial can pass: a task or an assertion."""
        return any(trial.passed is not None for trial in (*self.base, *self.this))

    @property
    def means(self) -> tuple[float | None, float | None]:
        """Mean of the measure in the base and in this version, 0–1."""
        return self._means(self.measure)

    @property
    def change(self) -> float | None:
        """This version's mean less the base's; None where one is missing."""
        before, after = self.means
        return None if before is None or after is None else after - before

    @property
    def size(self) -> float:
        """How large the change is, 0–1; 0 where there is none, or a mean is missing."""
        return as_shown(abs(self.change or 0.0)) if _differ(self.means) else 0.0

    @property
    def worse(self) -> bool:
        """Whether the mean is lower; where it is the same or missing, whether the assertions hold less often."""
        return (self.change or 0.0) < 0 if self.size else sum(flip.change for flip in self.flips) < 0

    def _means(self, measure: Measure) -> tuple[float | None, float | None]:
        before, after = (mean((trial.scores for trial in trials), measure) for trials in (self.base, self.this))
        return before, after

    @property
    def passed(self) -> tuple[int, int]:
        """How many trials of the base and of this version did everything asked of them."""
        before, after = (
            sum(trial.scores.get("passed") is True for trial in trials) for trials in (self.base, self.this)
        )
        return before, after

    @property
    def flipped(self) -> bool:
        """Whether an assertion holds more or less often, or the share of trials that passed is different."""
        before, after = self.passed
        return bool(self.flips) or before * len(self.this) != after * len(self.base)

    @property
    def reworked(self) -> bool:
        """Whether the job itself was changed between the two evaluations."""
        hashes = {trial.row.get("job_hash") for trial in (*self.base, *self.this)}
        return len(hashes) > 1


def job_changes(
    base: Sequence[TrialView], this: Sequence[TrialView], flips: Iterable[PairedAssertion]
) -> list[JobChange]:
    """Every job and condition in which both versions have a scored trial, the greatest loss first."""
    before, after = _cells(base), _cells(this)
    flipped = grouped(((flip.job, flip.condition), flip) for flip in flips)
    found = [JobChange(*cell, before[cell], after[cell], flipped[cell]) for cell in before.keys() & after.keys()]
    return sorted(found, key=_greatest_loss_first)


def deltas_of(rows: Iterable[Row]) -> dict[Measure, float]:
    """The smallest difference that matters, from rows of `version_comparisons`; 0 without rows.

    Virtues together have the smallest of their own.
    """
    deltas = {row["measure"]: float(row["delta"]) for row in rows if row["gating"]}
    virtues = [deltas[virtue] for virtue in VIRTUES if virtue in deltas]
    return {"overall": deltas.get("overall", 0.0), "virtue_overall": min(virtues, default=0.0)}


def most_changed(
    changes: Sequence[JobChange], deltas: Mapping[Measure, float]
) -> tuple[list[JobChange], list[JobChange]]:
    """The greatest losses, then the greatest gains, of what changed; and the rest, the greatest change first.

    A job changed if its assertions did, or by at least δ. At the same size losses go before gains; jobs whose means
    are the same belong to the rest.
    """
    changed = sorted(
        (each for each in changes if each.flips or (each.size and not falls_short(each.size, deltas[each.measure]))),
        key=lambda each: (-each.size, not each.worse),
    )
    greatest = [each for each in changed[:MOST_CHANGED] if each.size]
    return sorted(greatest, key=lambda each: not each.worse), changed[len(greatest) :]


def _differ(means: tuple[float | None, float | None]) -> bool:
    before, after = means
    return before is not None and after is not None and abs(after - before) >= ROUNDING


def _cells(trials: Iterable[TrialView]) -> dict[Cell, list[TrialView]]:
    """The scored trials of each cell, in the order of their repeats."""
    in_order = sorted((trial for trial in trials if trial.valid), key=lambda trial: trial.row["repeat"])
    return grouped((cell_of(trial.row), trial) for trial in in_order)


def _greatest_loss_first(found: JobChange) -> tuple[float, float, str, str]:
    assertions = sum(flip.change for flip in found.flips)
    return found.change or 0.0, assertions, natural(found.job), found.condition
