"""Trials in which the agent failed: how many there are, and which verdicts hold on measures that leave them out.

In `task`, `overall` and `passed` they count as nothing done. They have no virtues, no timing if no reply came, and no
assertion if nothing could be observed: a version that fails completely where it used to score low must not look better
because of that. A verdict is therefore given only if it remains when the failures of the side that it favours count
as 0. Failures that the other side has in the same cell as well are left out on both.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import get_args

from stoic_assets.core.comparison.family import Finding
from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Measured, Scope
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.presentation.formatting import difference
from stoic_assets.core.table_rows import Row

Cell = tuple[str, str]
"""A job, or one scenario of it, and a condition."""


@dataclass(frozen=True)
class Failures:
    """The trials of a version in which the agent failed, among those that are compared.

    `shares` is their share, 0–1, among the trials of each cell.
    """

    agent_version: str
    failed: int
    trials: int
    shares: Mapping[Cell, float]

    def __str__(self) -> str:
        return f"in {self.failed} of {self.trials} trials of {self.agent_version}"


def failure_note(base: Side, candidate: Side, jobs: Set[str]) -> str | None:
    """In how many of the compared trials the agent failed, on each side; None where it failed in none."""
    cells = _ran(base, jobs) & _ran(candidate, jobs)
    before, after = _failures(base, cells), _failures(candidate, cells)
    return f"the agent failed {before}, and {after}" if before.failed or after.failed else None


def uneven_failures(base: Side, candidate: Side, jobs: Set[str]) -> dict[tuple[str, Scope], str]:
    """The failures that a measure and scope leaves out, where the sides differ in any cell and a verdict may change.

    Failures in one job do not balance those of the other side in another.
    """
    ran = _ran(base, jobs) & _ran(candidate, jobs)
    found = {}
    for measure in LEAVING_FAILURES_OUT:
        cells = ran & (_measured(base, measure) | _measured(candidate, measure))
        for scope in get_args(Scope):
            within = {cell for cell in cells if scope in ("pooled", "lift", cell[1])}
            before, after = _failures(base, within, measure), _failures(candidate, within, measure)
            if before.shares != after.shares:
                where = " and ".join(str(side) for side in (before, after) if side.failed)
                found[measure, scope] = f"the agent failed {where}, which this measure leaves out"
    return found


def counting_failures(measured: Measured, side: Side, other: Side, jobs: Set[str]) -> Measured:
    """The means of `side` if its failures counted as 0, except those that `other` has in the same cell as well.

    This gives a mean even to a cell in which every trial failed.
    """
    cells = _ran(side, jobs) & _ran(other, jobs)
    counted = {measure: {job: dict(means) for job, means in of.items()} for measure, of in measured.items()}
    for measure in LEAVING_FAILURES_OUT:
        own, others = (_failures(each, cells, measure).shares for each in (side, other))
        for (job, condition), share in own.items():
            spared = others[job, condition]
            mean = counted.get(measure, {}).get(job, {}).get(condition, 0.0 if share == 1 else None)
            if share > spared and mean is not None:
                job_means = counted.setdefault(measure, {}).setdefault(job, {})
                job_means[condition] = mean * (1 - share) / (1 - spared)
    return counted


def standing(
    findings: Iterable[Finding], base_counted: Sequence[Finding], candidate_counted: Sequence[Finding],
    uneven: Mapping[tuple[str, Scope], str],
) -> list[Finding]:
    """The findings, made inconclusive where the verdict may be due to failed trials.

    `base_counted` and `candidate_counted` are the findings when the base's, or the candidate's, failures count as 0. A
    lift has no worse side, as failures under its two conditions have opposite effects: any uneven failure makes it
    inconclusive.
    """
    counted = [{(found.measure, found.scope): found for found in each} for each in (base_counted, candidate_counted)]
    return [
        _standing(found, why, [each[found.measure, found.scope] for each in counted])
        if (why := uneven.get((found.measure, found.scope))) else found
        for found in findings
    ]


def _standing(found: Finding, why: str, counted: Sequence[Finding]) -> Finding:
    base_counted, candidate_counted = counted
    against = {"regressed": [base_counted], "improved": [candidate_counted], "unchanged": counted, "inconclusive": []}
    for other in against[found.verdict]:
        if found.scope == "lift":
            return replace(found, verdict="inconclusive", why=why)
        if other.verdict != found.verdict:
            would = f"counted as 0, they would make the difference {difference(other.effect.difference or 0.0)}"
            return replace(found, verdict="inconclusive", why=f"{why}; {would} and the verdict {other.verdict}")
    return found


def _failures(side: Side, cells: Set[Cell], measure: str | None = None) -> Failures:
    """The failures in these cells; with a measure, those that it leaves out."""
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
