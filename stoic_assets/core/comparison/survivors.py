"""Trials in which the agent failed: how many there are, and which verdicts hold on measures that leave them out.

In `task`, `overall` and `passed` they count as nothing done. They have no virtues, no timing, and no assertion if
nothing could be observed: a version that fails where it used to score low must not look better because of that. A
verdict is therefore given only if it also comes out when the other side is without its worst trials, the same share as
the favoured side failed in: at most that much can failures have hidden (David S. Lee, Training, Wages, and Sample
Selection: Estimating Sharp Bounds on Treatment Effects, Review of Economic Studies 76, 2009).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from statistics import fmean
from typing import get_args

from stoic_assets.core.comparison.family import Finding
from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Measured, Scope
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.conversation.evidence import Condition
from stoic_assets.core.jobs.names import job_key
from stoic_assets.core.presentation.formatting import difference
from stoic_assets.core.table_rows import Row

Cell = tuple[str, str]
"""A job, or one scenario of it, and a condition."""
_ROUNDING = 1e-9


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
    cells = _ran(base, jobs) & _ran(candidate, jobs)
    before, after = _failures(base, cells), _failures(candidate, cells)
    return f"the agent failed {before}, and {after}" if before.failed or after.failed else None


def failures_left_out(base: Side, candidate: Side, jobs: Set[str]) -> dict[tuple[str, Scope], str]:
    """The failures that a measure leaves out, by measure and scope, where a verdict may rest on them.

    That is in cells in which both sides were measured, for a lift in jobs that have one.
    """
    found = {}
    for measure in LEAVING_FAILURES_OUT:
        paired = _paired(base, candidate, measure, jobs)
        conditions = Counter(job for job, _ in paired)
        for scope in get_args(Scope):
            cells = {
                (job, condition) for job, condition in paired
                if scope in ("pooled", condition) or (scope == "lift" and conditions[job] == 2)
            }
            before, after = _failures(base, cells, measure), _failures(candidate, cells, measure)
            if before.failed or after.failed:
                where = " and ".join(str(side) for side in (before, after) if side.failed)
                found[measure, scope] = f"the agent failed {where}, which this measure leaves out"
    return found


def without_worst(measured: Measured, side: Side, other: Side, jobs: Set[str]) -> Measured:
    """The means of `side` without its worst trials: under each condition the same share as `other` failed in.

    It is the share of all trials that `side` completed, scored or not, and may include part of a trial. Worst are those
    furthest below the mean of their cell, in whichever cells they are: trials of one cell turn out hard by chance, so
    the other side's failures need not be in the same ones. A cell of which nothing is left has no mean.
    """
    left = {measure: {job: dict(means) for job, means in of.items()} for measure, of in measured.items()}
    for measure in LEAVING_FAILURES_OUT:
        paired, values = _paired(side, other, measure, jobs), _values(side, measure)
        for condition in get_args(Condition):
            cells = {cell for cell in paired if cell[1] == condition}
            own, others = (_failures(each, cells, measure) for each in (side, other))
            if others.failed:
                worst = others.failed / others.trials * (own.trials - own.failed)
                means = _means_without({cell: values[cell] for cell in cells}, worst)
                for job, _ in cells:
                    del left[measure][job][condition]
                for (job, _), mean in means.items():
                    left[measure][job][condition] = mean
    return left


def standing(
    findings: Iterable[Finding], base_trimmed: Sequence[Finding], candidate_trimmed: Sequence[Finding],
    left_out: Mapping[tuple[str, Scope], str],
) -> list[Finding]:
    """The findings, open where failed trials may have made the verdict.

    The others are what is found with the base without its worst trials, and with the candidate. A lift, whose
    conditions pull apart, has no better side: any failure leaves it open.
    """
    trimmed = [{(found.measure, found.scope): found for found in each} for each in (base_trimmed, candidate_trimmed)]
    return [
        _standing(found, why, [each.get((found.measure, found.scope)) for each in trimmed])
        if (why := left_out.get((found.measure, found.scope))) else found
        for found in findings
    ]


def _standing(found: Finding, why: str, trimmed: Sequence[Finding | None]) -> Finding:
    base_trimmed, candidate_trimmed = trimmed
    against = {"regressed": [candidate_trimmed], "improved": [base_trimmed], "unchanged": trimmed, "inconclusive": []}
    for other in against[found.verdict]:
        if found.scope == "lift":
            said = "failures under one condition raise a lift, under the other they lower it"
        elif other is None or other.verdict != found.verdict:
            said = f"without as large a share of the other version's worst trials {_as_found(other)}"
        else:
            continue
        return replace(found, verdict="inconclusive", why=f"{why}; {said}")
    return found


def _as_found(found: Finding | None) -> str:
    """What is left without the worst trials."""
    if found is None or found.effect.difference is None:
        return "nothing is left to compare"
    tested = found.effect.tested
    said = f"the difference is {difference(found.effect.difference)}"
    if tested and tested.low is not None and tested.high is not None:
        said += f" (95 % interval {difference(tested.low)} to {difference(tested.high)})"
    return f"{said}, and the verdict {found.verdict}"


def _means_without(values: Mapping[Cell, Sequence[float]], worst: float) -> dict[Cell, float]:
    """The mean of each cell without so many of all values, those first that are furthest below the mean of theirs."""
    ranked = sorted((value - fmean(of), cell, value) for cell, of in values.items() for value in of)
    weights = [min(1.0, max(0.0, place + 1 - worst)) for place in range(len(ranked))]
    total, weight = dict.fromkeys(values, 0.0), dict.fromkeys(values, 0.0)
    for share, (_, cell, value) in zip(weights, ranked, strict=True):
        total[cell] += share * value
        weight[cell] += share
    return {cell: total[cell] / weight[cell] for cell in values if weight[cell] > _ROUNDING}


def _values(side: Side, measure: str) -> Mapping[Cell, list[float]]:
    """What the valid trials of each cell were scored."""
    scores = {row["trial_id"]: row["score"] for row in side.virtues if row["virtue"] == measure}
    found: dict[Cell, list[float]] = defaultdict(list)
    for row in side.trials:
        value = scores.get(row["trial_id"], row.get(measure))
        if row["valid"] and value is not None and not _leaves_out(row, measure):
            found[_cell(row)].append(value)
    return found


def _failures(side: Side, cells: Set[Cell], measure: str | None = None) -> Failures:
    """In these cells; with a measure, those that it leaves out."""
    trials = [row for row in side.trials if row["valid"] and _cell(row) in cells]
    return Failures(side.agent_version, sum(_leaves_out(row, measure) for row in trials), len(trials))


def _leaves_out(row: Row, measure: str | None) -> bool:
    """Whether it is a failed trial that the measure leaves out: an assertion may be decided all the same."""
    return row["outcome"] == "agent_error" and (measure != "assertion" or row["assertion"] is None)


def _cell(row: Row) -> Cell:
    return job_key(row), row["condition"]


def _ran(side: Side, jobs: Set[str]) -> set[Cell]:
    return {_cell(row) for row in side.trials if row["valid"] and row["job"] in jobs}


def _paired(base: Side, candidate: Side, measure: str, jobs: Set[str]) -> set[Cell]:
    """The cells in which both sides were measured."""
    before, after = ({_cell(row) for row in side.measures if row["measure"] == measure} for side in (base, candidate))
    return before & after & _ran(base, jobs) & _ran(candidate, jobs)
