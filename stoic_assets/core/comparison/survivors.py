"""Trials in which the agent failed: how many there are, and which verdicts they forbid to measures that leave them out.

In `task`, `overall` and `passed` they count as nothing done. They have no virtues, no timing where no reply came, and
no assertion where nothing could be looked at: a version that breaks down where it used to do badly must not seem
better for it. Who failed more is asked cell by cell: failures in one job do not make up for the other side's in
another, least of all where a side failed throughout, whose failures no difference of the measure shows.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from statistics import fmean
from typing import get_args

from stoic_assets.core.comparison.family import FARTHEST, Barred, Verdict
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

    Whatever they would have been scored, its difference is off by `leeway`, 0–2, at most.
    """

    barred: Barred = field(default_factory=dict)
    leeway: float = FARTHEST


@dataclass(frozen=True)
class Failures:
    """The trials of a version in which the agent failed, among those that are compared.

    `shares`, 0–1, are theirs among the trials of each cell.
    """

    agent_version: str
    failed: int
    trials: int
    shares: Mapping[Cell, float]

    def exceed(self, other: "Failures") -> bool:
        """Whether the agent failed more than in the other version in any cell."""
        return any(share > other.shares[cell] for cell, share in self.shares.items())

    def __str__(self) -> str:
        return f"in {self.failed} of {self.trials} trials of {self.agent_version}"


def failure_note(base: Side, candidate: Side, jobs: Set[str]) -> str | None:
    """How many of the compared trials the agent failed in, on each side; None where it failed in none."""
    cells = _ran(base, jobs) & _ran(candidate, jobs)
    before, after = _failures(base, cells), _failures(candidate, cells)
    return f"the agent failed {before}, and {after}" if before.failed or after.failed else None


def by_survivors(base: Side, candidate: Side, jobs: Set[str]) -> dict[tuple[str, Scope], Survivors]:
    """By measure and scope the verdicts that must not be given, as a side failed more in some cell."""
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
    """Barred is what favours a side that failed more in any cell; of a lift, whose conditions pull apart, all."""
    base_more, candidate_more = before.exceed(after), after.exceed(before)
    if not base_more and not candidate_more:
        return Survivors()
    where = " and ".join(str(side) for side in (before, after) if side.failed)
    why = f"the agent failed {where}, which this measure leaves out"
    favoured: dict[Verdict, bool] = {"regressed": base_more, "improved": candidate_more, "unchanged": True}
    barred: Barred = {verdict: why for verdict, favours in favoured.items() if lift or favours}
    return Survivors(barred, FARTHEST if lift else _leeway(before, after))


def _leeway(before: Failures, after: Failures) -> float:
    """By how much the difference of means may be off, 0–2: the mean over jobs of the mean over their cells.

    The mean of a cell's other trials is off by the share that failed, at most. A cell that a side failed throughout has
    no difference; the mean of those that are there takes its place. One that both failed throughout is not compared.
    """
    jobs: dict[str, list[float]] = defaultdict(list)
    for cell, share in before.shares.items():
        shares = share, after.shares[cell]
        jobs[cell[0]].append(FARTHEST if max(shares) == 1 else sum(shares))
    return fmean(map(fmean, jobs.values()))


def _failures(side: Side, cells: Set[Cell], measure: str | None = None) -> Failures:
    """In these cells; with a measure, those that it leaves out."""
    trials = [row for row in side.trials if row["valid"] and _cell(row) in cells]
    failed = [row for row in trials if row["outcome"] == "agent_error"]
    left_out = [row for row in failed if measure is None or row.get(measure) is None]
    counted, all_of = (Counter(map(_cell, rows)) for rows in (left_out, trials))
    return Failures(
        side.agent_version, len(left_out), len(trials), {cell: counted[cell] / count for cell, count in all_of.items()}
    )


def _cell(row: Row) -> Cell:
    return job_key(row), row["condition"]


def _ran(side: Side, jobs: Set[str]) -> set[Cell]:
    return {_cell(row) for row in side.trials if row["valid"] and row["job"] in jobs}


def _measured(side: Side, measure: str) -> set[Cell]:
    return {_cell(row) for row in side.measures if row["measure"] == measure}
