"""Trials in which the agent failed: how many are among those that are compared, and which measures leave them out.

In `task`, `overall` and `passed` they count as nothing done. They have no virtues, no timing, and no assertion if
nothing could be observed.
"""

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from typing import get_args

from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Cell, Scope, cell_of
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.table_rows import Row


@dataclass(frozen=True)
class Failures:
    """The trials of a version in which the agent failed, among those that are compared."""

    agent_version: str
    failed: int
    trials: int

    def __str__(self) -> str:
        return f"in {self.failed} of {self.trials} trials of {self.agent_version}"


def failure_note(base: Side, candidate: Side, jobs: Set[str]) -> str | None:
    """In how many of the compared trials the agent failed, on each side; None where it failed in none."""
    cells = ran_by_both(base, candidate, jobs)
    before, after = failures(base, cells), failures(candidate, cells)
    return f"the agent failed {before}, and {after}" if before.failed or after.failed else None


def failures_left_out(base: Side, candidate: Side, jobs: Set[str]) -> dict[tuple[str, Scope], str]:
    """The failures that a measure leaves out, by measure and scope, where a verdict may rest on them.

    A cell counts if both versions ran it and at least one of them has the measure there; for a lift, only in jobs with
    both conditions.
    """
    found = {}
    ran = ran_by_both(base, candidate, jobs)
    for measure in LEAVING_FAILURES_OUT:
        compared = (measured_cells(base, measure) | measured_cells(candidate, measure)) & ran
        conditions = Counter(job for job, _ in compared)
        for scope in get_args(Scope):
            cells = {
                (job, condition) for job, condition in compared
                if scope in ("pooled", condition) or (scope == "lift" and conditions[job] == 2)
            }
            before, after = failures(base, cells, measure), failures(candidate, cells, measure)
            if before.failed or after.failed:
                where = " and ".join(str(side) for side in (before, after) if side.failed)
                found[measure, scope] = f"the agent failed {where}, which this measure leaves out"
    return found


def failures(side: Side, cells: Set[Cell], measure: str | None = None) -> Failures:
    """In these cells; with a measure, those that it leaves out."""
    trials = [row for row in side.trials if row["valid"] and cell_of(row) in cells]
    return Failures(side.agent_version, sum(is_left_out(row, measure) for row in trials), len(trials))


def is_left_out(row: Row, measure: str | None) -> bool:
    """Whether it is a failed trial that the measure leaves out: an assertion may be decided all the same."""
    return row["outcome"] == "agent_error" and (measure != "assertion" or row["assertion"] is None)


def measured_cells(side: Side, measure: str) -> set[Cell]:
    """The cells in which a side has this measure."""
    return {cell_of(row) for row in side.measures if row["measure"] == measure and row["mean"] is not None}


def ran_by_both(base: Side, candidate: Side, jobs: Set[str]) -> set[Cell]:
    """The cells of these jobs in which both sides have valid trials, failed ones included."""
    before, after = (
        {cell_of(row) for row in side.trials if row["valid"] and row["job"] in jobs} for side in (base, candidate)
    )
    return before & after
