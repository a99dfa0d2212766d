"""Two trials of one job side by side, one of each version: words, function calls, results, and where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product, zip_longest

from stoic_assets.core.comparison.paired_assertions import distinguished
from stoic_assets.core.presentation.formatting import is_missing
from stoic_assets.core.reports.job_changes import JobChange, Measure
from stoic_assets.core.reports.trial_view import AssertionView, TrialView, TurnView
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES

MOST_PAIRS = 20
"""Conversations are long; all flipped assertions are listed, and every trial is in its version's report."""


@dataclass(frozen=True)
class TurnPair:
    """The messages of both trials with the same number; one may be absent."""

    base: TurnView | None
    this: TurnView | None

    @property
    def same(self) -> bool:
        """Whether both say the same and call the same functions, whatever the arguments: ids differ in every run."""
        if self.base is None or self.this is None:
            return False
        before, after = ((turn.row["content"], turn.functions) for turn in (self.base, self.this))
        return before == after


@dataclass(frozen=True)
class AssertionPair:
    """One assertion with its results in both trials."""

    base: AssertionView
    this: AssertionView

    @property
    def differs(self) -> bool:
        """Whether the results differ."""
        return bool(self.base.row["passed"] is not self.this.row["passed"])


@dataclass(frozen=True)
class TaskPair:
    """One task with the judge's marks in both trials."""

    base: Row
    this: Row


@dataclass(frozen=True)
class VirtuePair:
    """One virtue with its scores in both trials; None where it was not scored."""

    name: str
    base: float | None
    this: float | None


@dataclass(frozen=True)
class SideBySide:
    """What changed in a job, shown by the two of its trials that differ most; `anchor` is its id in the page."""

    anchor: str
    change: JobChange
    base: TrialView
    this: TrialView

    @property
    def turns(self) -> list[TurnPair]:
        """The turns of both by their number."""
        return [TurnPair(*pair) for pair in zip_longest(self.base.turns, self.this.turns)]

    @property
    def assertions(self) -> list[AssertionPair]:
        """The assertions of both, those that differ first."""
        return sorted(assertion_pairs(self.base, self.this), key=lambda pair: not pair.differs)

    @property
    def tasks(self) -> list[TaskPair]:
        """The tasks that both were judged on."""
        before = {row["task"]: row for row in self.base.tasks}
        return [TaskPair(before[row["task"]], row) for row in self.this.tasks if row["task"] in before]

    @property
    def virtues(self) -> list[VirtuePair]:
        """The virtues that were scored in at least one of the two."""
        before, after = (
            {view.name: view.row["score"] for view in trial.virtues if not is_missing(view.row.get("score"))}
            for trial in (self.base, self.this)
        )
        return [VirtuePair(name, before.get(name), after.get(name)) for name in VIRTUES if name in before | after]

    @property
    def alone(self) -> tuple[frozenset[str], frozenset[str]]:
        """Functions that only the base called, and those that only this version called."""
        before, after = (
            frozenset(name for turn in trial.turns for name in turn.functions) for trial in (self.base, self.this)
        )
        return before - after, after - before


def side_by_side(changes: Sequence[JobChange], most_changed: Sequence[JobChange]) -> list[SideBySide]:
    """The first jobs that flipped, in the order of `changes`, then those whose virtues changed most."""
    flipped = [change for change in changes if change.flipped][:MOST_PAIRS]
    virtues = [change for change in most_changed if change.measure == "virtue_overall"]
    return [
        SideBySide(f"flip-{place}", change, *telling_pair(change)) for place, change in enumerate(flipped + virtues, 1)
    ]


def telling_pair(change: JobChange) -> tuple[TrialView, TrialView]:
    """The trials of base and this version that show a job's change best; the first repeats among equals."""
    direction, measure = 1 if (change.change or 0.0) <= 0 else -1, change.measure
    pairs = product(_measured(change.base, measure), _measured(change.this, measure))
    return max(pairs, key=lambda pair: [direction * lost for lost in _lost(pair, measure)])


def _measured(trials: list[TrialView], measure: Measure) -> list[TrialView]:
    """The trials that have the measure, if any have."""
    return [trial for trial in trials if not is_missing(trial.scores.get(measure))] or trials


def assertion_pairs(base: TrialView, this: TrialView) -> list[AssertionPair]:
    """The assertions that both trials have, in the order of this one's."""
    before, after = _identified(base), _identified(this)
    return [AssertionPair(before[which], now) for which, now in after.items() if which in before]


def _identified(trial: TrialView) -> dict[tuple[str, str], AssertionView]:
    views = {view.row["assertion"]: view for view in trial.assertions}
    rows = distinguished(view.row for view in trial.assertions)
    return {(row["text"], which): views[row["assertion"]] for row, which in rows}


def _assertions_lost(base: TrialView, this: TrialView) -> float:
    pairs = assertion_pairs(base, this)
    return sum(float(pair.base.row["weight"]) * _held(pair.base) for pair in pairs) - sum(
        float(pair.this.row["weight"]) * _held(pair.this) for pair in pairs
    )


def _held(assertion: AssertionView) -> bool:
    return assertion.row["passed"] is True


def _lost(pair: tuple[TrialView, TrialView], measure: Measure) -> list[float]:
    """What the base's trial has more of; where the total tells the change, assertions count first."""
    before, after = (trial.scores.get(measure) or 0.0 for trial in pair)
    marks = before - after
    return [_assertions_lost(*pair), marks] if measure == "overall" else [marks]
