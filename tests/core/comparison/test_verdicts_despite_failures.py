"""Which verdicts hold though the agent failed in trials that a measure leaves out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from failing_sides import of_cells

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.failed_trials import failures_left_out
from stoic_assets.core.comparison.family import Finding
from stoic_assets.core.comparison.paired_jobs import Scope
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.configuration.settings import MinimalDifferences

TEN = [f"{place:02}" for place in range(10)]
NONE_FAILED: Mapping[str, int] = {}
EVERY_JOB = dict.fromkeys(TEN, 2)


@pytest.fixture
def compared(make_side: Callable[..., Side]) -> Callable[..., Comparison]:
    """Ten jobs of four trials under each condition, the candidate's wisdom moved by about `shift`.

    By job, how many of the worst trials each side failed in, under the supplied condition.
    """

    def make(shift: float, before: Mapping[str, int], after: Mapping[str, int], lift: float = 0.0) -> Comparison:
        base, candidate = (
            _of_ten_jobs(make_side(agent_version=version), change, lost, more)
            for version, change, lost, more in (
                ("marcus@1.0.0", 0.0, before, 0.0), ("marcus@1.1.0", shift, after, lift),
            )
        )
        return compare(base, candidate, MinimalDifferences(), 0.5)

    return make


def _of_ten_jobs(side: Side, shift: float, lost: Mapping[str, int], lift: float) -> Side:
    cells = {}
    for (place, job), condition in product(enumerate(TEN), ("withheld", "supplied")):
        fails = lost.get(job, 0) if condition == "supplied" else 0
        raised = (shift + (lift if condition == "supplied" else 0.0)) * (1.1 if place % 2 else 0.9)
        scores = [score + raised for score in (0.2, 0.4, 0.6, 0.8)]
        cells[job, condition] = [*[None] * fails, *scores[fails:]]
    return replace(of_cells(side, cells), jobs=dict.fromkeys(TEN, "1"))


def wisdom(comparison: Comparison, scope: Scope = "pooled") -> Finding:
    return next(each for each in comparison.findings if (each.measure, each.scope) == ("wisdom", scope))


@pytest.mark.parametrize(
    ("shift", "before", "after", "verdict"),
    [
        (-0.2, {"00": 1}, {"01": 1}, "regressed"),  # some failures on each side hide no drop of 0.2
        (-0.2, {"00": 4}, NONE_FAILED, "regressed"),
        (-0.2, NONE_FAILED, EVERY_JOB, "regressed"),  # the candidate's own failures make it no better
        (-0.2, EVERY_JOB, EVERY_JOB, "regressed"),
        (-0.2, EVERY_JOB, NONE_FAILED, "regressed"),  # without the candidate's worst trials too
        (-0.02, EVERY_JOB, NONE_FAILED, "inconclusive"),  # the base failed where it did badly: −0.12, and −0.02
        (0.2, NONE_FAILED, {"00": 1}, "improved"),
        (0.2, NONE_FAILED, EVERY_JOB, "improved"),
        (0.02, NONE_FAILED, EVERY_JOB, "inconclusive"),  # the candidate fails where it did badly: +0.12, and +0.02
        (0.2, EVERY_JOB, NONE_FAILED, "improved"),
        (0.01, NONE_FAILED, NONE_FAILED, "unchanged"),
        (0.01, {"00": 1}, {"01": 1}, "unchanged"),
        (-0.1, NONE_FAILED, EVERY_JOB, "inconclusive"),  # ±0.00 with the failures, −0.10 like with like
        (0.1, EVERY_JOB, NONE_FAILED, "inconclusive"),
    ],
)
def test_a_verdict_holds_if_it_comes_out_without_the_worst_trials_of_whom_it_disfavours(
    compared: Callable[..., Comparison], shift: float, before: Any, after: Any, verdict: str
) -> None:
    assert wisdom(compared(shift, before, after)).verdict == verdict


NO_SPREAD = "; every job scored the same in both versions; from 59 such jobs on that is unchanged"


@pytest.mark.parametrize(
    ("shift", "failed_in", "rest"),
    [
        (0.02, EVERY_JOB, "+0.02 (95 % interval +0.02 to +0.02), and the verdict unchanged"),
        (-0.06, EVERY_JOB, "−0.06 (95 % interval −0.06 to −0.06), and the verdict regressed"),
        (0.0, EVERY_JOB, f"±0.00{NO_SPREAD}"),
        (0.02, dict.fromkeys(TEN[:5], 2), "+0.02 (95 % interval −0.02 to +0.06), which may be chance"),
        (0.04, {"00": 3}, "+0.04 (95 % interval +0.01 to +0.08): significant, but +0.04 is smaller than δ 0.05"),
        (-0.02, {"00": 3, "01": 3}, "−0.02 (95 % interval −0.06 to +0.03), not surely within ±δ"),
    ],
)
def test_a_verdict_that_falls_says_what_would_be_found(
    compared: Callable[..., Comparison], shift: float, failed_in: Mapping[str, int], rest: str
) -> None:
    fails = sum(failed_in.values())
    left_out = f"the agent failed in {fails} of 80 trials of marcus@1.1.0, which this measure leaves out"
    found = wisdom(compared(shift, NONE_FAILED, failed_in))
    without = "without as many of the worst trials and jobs of marcus@1.0.0"
    assert (found.verdict, found.why) == ("inconclusive", f"{left_out}; {without} the difference is {rest}")


def test_a_verdict_falls_where_nothing_is_left_without_the_worst_trials(
    compared: Callable[..., Comparison], make_side: Callable[..., Side]
) -> None:
    """The judge gave no score to some trials: those that failed on the other side may be all that have one."""
    whole = compared(0.2, NONE_FAILED, dict.fromkeys(TEN, 3))
    lone = {f"{job}/{condition}/3" for job, condition in product(TEN, ("withheld", "supplied"))}
    silent = replace(whole.base, virtues=[row for row in whole.base.virtues if row["trial_id"] in lone])
    rows = [{**row, "mean": 0.8} for row in whole.base.measures]
    supplied = [row for row in rows if row["condition"] == "supplied"]
    of_candidate = [row for row in whole.candidate.measures if row["condition"] == "supplied"]
    found = compare(
        replace(silent, measures=supplied), replace(whole.candidate, measures=of_candidate), MinimalDifferences(), 0.5
    )
    for scope in ("pooled", "supplied"):
        why = wisdom(found, scope).why or ""
        assert why.endswith("worst trials and jobs of marcus@1.0.0 nothing is left to compare")


@pytest.mark.parametrize(("level", "said"), [(0.3, "improved"), (0.02, "inconclusive")])
def test_jobs_that_the_candidate_failed_throughout_make_it_no_better(
    make_side: Callable[..., Side], level: float, said: str
) -> None:
    """It fails where it lost most: what is left is better by chance or, at the higher level, for all that."""
    moves = [-0.3, -0.25, -0.2, *(level + spread for spread in (-0.05, -0.02, 0.0, 0.0, 0.03, 0.05, 0.12, 0.15, 0.2))]
    before = {(f"{place:02}", "withheld"): [0.5, 0.5] for place in range(len(moves))}
    after = {cell: [0.5 + move] * 2 for cell, move in zip(before, moves, strict=True)}
    lost = after | {cell: [None, None] for cell in list(after)[:3]}
    assert _wisdom_of(make_side, before, lost).verdict == said
    mirrored = _wisdom_of(make_side, lost, before)
    assert mirrored.verdict == {"improved": "regressed"}.get(said, said)


def test_the_names_of_the_jobs_decide_nothing(make_side: Callable[..., Side]) -> None:
    """Coarse scores are often equally far from the mean of their cell."""
    before = [[0.5] * 3] * 12
    after = [[None, 0.5 + gain, 0.5 + gain] for gain in (*[0.3] * 6, *[0.0, 0.02] * 3)]
    found = []
    for names in ("abcdefghijkl", "lkjihgfedcba"):
        cells = [{(job, "withheld"): of for job, of in zip(names, side, strict=True)} for side in (before, after)]
        found.append(_wisdom_of(make_side, *cells))
    assert found[0].verdict == found[1].verdict == "improved"
    assert found[0].effect.difference == pytest.approx(found[1].effect.difference)


def _wisdom_of(make_side: Callable[..., Side], *cells: Mapping[tuple[str, str], Sequence[Any]]) -> Finding:
    """What is found between two versions of those trials."""
    jobs = {job: "1" for each in cells for job, _ in each}
    base, candidate = (
        of_cells(make_side(agent_version=version, jobs=jobs), each)
        for version, each in zip(("marcus@1.0.0", "marcus@1.1.0"), cells, strict=True)
    )
    return wisdom(compare(base, candidate, MinimalDifferences(), 0.5))


@pytest.mark.parametrize("condition", ["supplied", "withheld"])
def test_a_lift_is_open_where_the_agent_failed_throughout_under_one_condition(
    make_side: Callable[..., Side], condition: str
) -> None:
    level = {(job, name): [0.5 + place / 100] for place, job in enumerate(TEN) for name in ("supplied", "withheld")}
    jobs = dict.fromkeys(TEN, "1")
    base = of_cells(make_side(jobs=jobs), level)
    candidate = of_cells(make_side(jobs=jobs), {**level, ("00", condition): [None]})
    assert ("wisdom", "lift") in failures_left_out(base, candidate, set(TEN))


def test_a_lift_is_open_where_the_agent_failed(compared: Callable[..., Comparison]) -> None:
    apart = wisdom(compared(0.0, {"00": 1}, NONE_FAILED, lift=0.3), "lift")
    left_out = "the agent failed in 1 of 80 trials of marcus@1.0.0, which this measure leaves out"
    why = f"{left_out}; failures under one condition raise a lift, under the other they lower it"
    assert (apart.verdict, apart.why) == ("inconclusive", why)
    assert wisdom(compared(0.0, NONE_FAILED, NONE_FAILED, lift=0.3), "lift").verdict == "improved"
