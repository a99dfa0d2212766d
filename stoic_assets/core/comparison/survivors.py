"""Trials in which the agent failed: how many there are, and which verdicts they forbid to measures that leave them out.

In `task`, `overall` and `passed` they count as nothing done. They have no virtues, no timing where no reply came, and
no assertion where nothing could be looked at: a version that breaks down where it used to do badly must not seem
better for it.
"""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from statistics import fmean
from typing import get_args

from stoic_assets.core.comparison.family import Barred, Verdict
from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Scope
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.table_rows import Row

Cell = tuple[str, str]
"""A job, or one scenario of it, and a condition."""


@dataclass(frozen=True)
class Survivors:
    """What must not be said of a measure that failed trials are not in.

    Whatever they would have been scored, its difference is off by `leeway`, 0–1, at most.
    """

    barred: Barred = field(default_factory=dict)
    leeway: float = 1.0


@dataclass(frozen=True)
class Failures:
    """The trials of a version in which the agent failed, among those that are compared.

    `leeway`, 0–1, is the mean over jobs and conditions of their share: a mean over the others is off by that at most.
    """

    agent_version: str
    failed: int
    trials: int
    leeway: float

    @property
    def share(self) -> float:
        """0–1."""
        return self.failed / self.trials if self.trials else 0.0

    def __str__(self) -> str:
        return f"in {self.failed} of {self.trials} trials of {self.agent_version}"


def failure_note(base: Side, candidate: Side, jobs: Set[str]) -> str | None:
    """How many of the compared trials the agent failed in, on each side; None where it failed in none."""
    cells = _ran(base, jobs) & _ran(candidate, jobs)
    before, after = _failures(base, cells), _failures(candidate, cells)
    return f"the agent failed {before}, and {after}" if before.failed or after.failed else None


def by_survivors(base: Side, candidate: Side, jobs: Set[str]) -> dict[tuple[str, Scope], Survivors]:
    """By measure and scope the verdicts that must not be given, where the agent failed more on one side."""
    ran = _ran(base, jobs) & _ran(candidate, jobs)
    found = {}
    for measure in LEAVING_FAILURES_OUT:
        cells = ran & (_measured(base, measure) | _measured(candidate, measure))
        for scope in get_args(Scope):
            within = {cell for cell in cells if scope in ("pooled", "lift", cell[1])}
            before, after = _failures(base, within, measure), _failures(candidate, within, measure)
            found[measure, scope] = _survivors(before, after, lift=scope == "lift")
    return found


def _survivors(before: Failures, after: Failures, lift: bool) -> Survivors:
    """Barred is what favours the side where the agent failed more; of a lift, whose conditions pull apart, all."""
    if before.share == after.share:
        return Survivors()
    allowed: Verdict = "regressed" if after.share > before.share else "improved"
    where = " and ".join(str(side) for side in (before, after) if side.failed)
    why = f"the agent failed {where}, which are not in it"
    verdicts: tuple[Verdict, ...] = ("regressed", "improved", "unchanged")
    barred: Barred = {verdict: why for verdict in verdicts if lift or verdict != allowed}
    return Survivors(barred, 1.0 if lift else before.leeway + after.leeway)


def _failures(side: Side, cells: Set[Cell], measure: str | None = None) -> Failures:
    """In these cells; with a measure, those that it leaves out."""
    trials = [row for row in side.trials if row["valid"] and (job_key(row), row["condition"]) in cells]
    failed = [row for row in trials if row["outcome"] == "agent_error"]
    left_out = [row for row in failed if measure is None or row.get(measure) is None]
    return Failures(side.agent_version, len(left_out), len(trials), _mean_share(left_out, trials))


def _mean_share(some: Sequence[Row], trials: Sequence[Row]) -> float:
    """The mean over jobs and conditions of the share of `some` among their trials."""
    counted, all_of = (Counter((job_key(row), row["condition"]) for row in rows) for rows in (some, trials))
    return fmean(counted[cell] / count for cell, count in all_of.items()) if all_of else 0.0


def _ran(side: Side, jobs: Set[str]) -> set[Cell]:
    return {(job_key(row), row["condition"]) for row in side.trials if row["valid"] and row["job"] in jobs}


def _measured(side: Side, measure: str) -> set[Cell]:
    return {(job_key(row), row["condition"]) for row in side.measures if row["measure"] == measure}
