"""Which verdicts hold on measures that leave out the trials in which the agent failed.

A version that fails where it used to score low must not look better because of that. A verdict is therefore given only
if it also comes out when the version that it disfavours is without its worst trials, the same share as the other one
failed in, and without its worst cells, as many as the other one failed throughout. That is one side of Lee's bounds
(David S. Lee, Training, Wages, and Sample Selection: Estimating Sharp Bounds on Treatment Effects, Review of Economic
Studies 76, 2009): failures are taken to hide low scores. A version that fails where it does well looks worse.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby
from statistics import fmean
from typing import get_args

from stoic_assets.core.comparison.effect import ALPHA
from stoic_assets.core.comparison.failed_trials import failures, measured_cells, ran_by_both
from stoic_assets.core.comparison.family import Finding, Verdict, too_small
from stoic_assets.core.comparison.measures import LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Cell, Cells, Measured, Scope
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.comparison.trial_values import trial_values
from stoic_assets.core.jobs.trial import Condition
from stoic_assets.core.presentation.formatting import difference

_DIGITS = 9
"""Scores that differ by less are the same: which one is left out first must not depend on rounding."""


def without_worst(measured: Measured, others: Measured, side: Side, other: Side, jobs: Set[str]) -> Measured:
    """The means of `side` (`measured`) without its worst trials and cells; `others` are the means of `other`.

    Trials: of those that `side` completed under a condition, scored or not, the same share is left out as `other`
    failed in; that may include part of a trial. The worst are furthest below the mean of their cell, whichever cell
    that is: trials of a cell turn out hard by chance, so `other` need not have failed in the same cells.

    Cells: as many are left out under a condition as only `side` has a mean in because `other` failed in them. The worst
    cells are furthest below `others`.
    """
    left = {measure: dict(means) for measure, means in measured.items()}
    ran = ran_by_both(side, other, jobs)
    for measure in LEAVING_FAILURES_OUT:
        own, theirs = (measured_cells(each, measure) & ran for each in (side, other))
        for condition in get_args(Condition):
            paired = {cell for cell in own & theirs if cell[1] == condition}
            unpaired = {cell for cell in own - theirs if cell[1] == condition}
            lost = sum(failures(other, {cell}, measure).failed > 0 for cell in unpaired)
            means = _without_worst_trials(measured, measure, side, other, paired)
            kept = _without_worst_cells(means, measured.get(measure, {}), others.get(measure, {}), lost)
            for cell in paired:
                del left[measure][cell]
            left.get(measure, {}).update(kept)
    return left


def _without_worst_trials(measured: Measured, measure: str, side: Side, other: Side, cells: Set[Cell]) -> Cells:
    """The mean of each of these cells; a cell of which nothing is left has none."""
    own, others = (failures(each, cells, measure) for each in (side, other))
    if not others.failed:
        return {cell: measured[measure][cell] for cell in cells}
    values = trial_values(side, measure)
    worst = others.failed / others.trials * (own.trials - own.failed)
    return _means_without({cell: values[cell] for cell in cells}, worst)


def _means_without(values: Mapping[Cell, Sequence[float]], worst: float) -> dict[Cell, float]:
    """The mean of each cell without the worst of all values, as many as `worst`: a fraction leaves out part of a value.

    The worst are furthest below the mean of their cell. Of values that are equally far below, the same part of each is
    left out.
    """
    ranked = sorted((round(value - fmean(of), _DIGITS), cell, value) for cell, of in values.items() for value in of)
    total, weight = dict.fromkeys(values, 0.0), dict.fromkeys(values, 0.0)
    for _, group in groupby(ranked, key=lambda each: each[0]):
        alike = list(group)
        share = 1 - min(worst / len(alike), 1.0)
        worst = max(0.0, worst - len(alike))
        for _, cell, value in alike:
            total[cell] += share * value
            weight[cell] += share
    return {cell: total[cell] / weight[cell] for cell in values if round(weight[cell], _DIGITS) > 0}


def _without_worst_cells(means: Cells, own: Cells, others: Cells, lost: int) -> Cells:
    """The means without those of the `lost` worst cells, which are furthest below `others`.

    Of cells that are equally far below, that of the job which is worse over both conditions is left out first.
    """

    def ahead(cell: Cell) -> tuple[float, float, int]:
        cells = ((cell[0], condition) for condition in get_args(Condition))
        both = [each for each in cells if each in own and each in others]
        in_all = sum(own[each] - others[each] for each in both)
        return round(means[cell] - others[cell], _DIGITS), round(in_all, _DIGITS), len(both)

    kept = sorted(means, key=lambda cell: (ahead(cell), cell))[lost:] if lost else means
    return {cell: means[cell] for cell in kept}


def robust_findings(
    findings: Iterable[Finding], without: Sequence[tuple[Side, Sequence[Finding]]],
    left_out: Mapping[tuple[str, Scope], str],
) -> list[Finding]:
    """The findings, open where failed trials may have made the verdict.

    `without` has what is found with the base without its worst trials, and then with the candidate. A lift, whose
    conditions pull apart, has no better side: any failure leaves it open.
    """
    trimmed = [(side, {_about(finding): finding for finding in of_side}) for side, of_side in without]
    return [
        _robust(finding, why, [(side, by_measure.get(_about(finding))) for side, by_measure in trimmed])
        if (why := left_out.get(_about(finding))) else finding
        for finding in findings
    ]


def _about(finding: Finding) -> tuple[str, Scope]:
    return finding.measure, finding.scope


def _robust(finding: Finding, why: str, trimmed: Sequence[tuple[Side, Finding | None]]) -> Finding:
    base_trimmed, candidate_trimmed = trimmed
    against = {"regressed": [candidate_trimmed], "improved": [base_trimmed], "unchanged": trimmed, "inconclusive": []}
    for side, trimmed_finding in against[finding.verdict]:
        if finding.scope == "lift":
            said = "failures under one condition raise a lift, under the other they lower it"
        elif trimmed_finding is None or trimmed_finding.verdict != finding.verdict:
            rest = _as_found(trimmed_finding, finding.verdict)
            said = f"without as many of the worst trials and jobs of {side.agent_version} {rest}"
        else:
            continue
        return replace(finding, verdict="inconclusive", why="; ".join(filter(None, (why, said, finding.why))))
    return finding


def _as_found(finding: Finding | None, expected: Verdict) -> str:
    """What is left without the worst trials, and why it is not as expected."""
    if finding is None or finding.effect.difference is None:
        return "nothing is left to compare"
    tested = finding.effect.tested
    said = f"the difference is {difference(finding.effect.difference)}"
    if tested and tested.low is not None and tested.high is not None:
        said += f" (95 % interval {difference(tested.low)} to {difference(tested.high)})"
    if finding.verdict != "inconclusive":
        return f"{said}, and the verdict {finding.verdict}"
    if finding.p_adjusted is None:
        return f"{said}; {finding.why}"
    if finding.p_adjusted <= ALPHA:
        return f"{said}: {too_small(finding.effect.difference, finding.delta)}"
    return f"{said}, which may be chance" if expected != "unchanged" else f"{said}, not surely within ±δ"
