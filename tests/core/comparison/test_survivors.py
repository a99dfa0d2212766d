"""What failed trials that a measure leaves out forbid to say of the others."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.family import Finding
from stoic_assets.core.comparison.measures import GATING, LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Scope, cells_by_measure, paired
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.comparison.survivors import counting_failures, failure_note, uneven_failures
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.settings import MinimalDifferences

Row = dict[str, Any]
JOBS = {"a", "b"}


def trial(job: str, condition: str = "withheld", **columns: Any) -> Row:
    """A row of `composite_scores` of a trial in which the agent did well."""
    plain = {"job": job, "scenario": None, "condition": condition, "outcome": "signed_off", "valid": True}
    return plain | {"assertion": 1.0, "timing": 1.0} | columns


def failed(job: str, condition: str = "withheld", **columns: Any) -> Row:
    return trial(job, condition, **{"outcome": "agent_error", "assertion": None, "timing": None} | columns)


@pytest.fixture
def sides(make_side: Callable[..., Side], make_rows: Callable[..., list[Row]]) -> Callable[..., tuple[Side, Side]]:
    """A base with those trials, and a candidate; both measured everything in both jobs."""

    def make(before: list[Row], after: list[Row]) -> tuple[Side, Side]:
        measured = [make_rows({"a": 1, "b": 1}, *each) for each in product(GATING, ("withheld", "supplied"))]
        rows = [row for each in measured for row in each]
        base = make_side(measures=rows, trials=before)
        return base, replace(base, agent_version="marcus@1.1.0", trials=after)

    return make


def test_where_the_agent_never_failed_nothing_is_said(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [trial("a"), trial("b")])
    assert failure_note(base, candidate, JOBS) is None
    assert uneven_failures(base, candidate, JOBS) == {}


def test_what_is_left_out_unevenly_is_told_by_measure_and_scope(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    note = "the agent failed in 0 of 2 trials of marcus@1.0.0, and in 1 of 2 trials of marcus@1.1.0"
    assert failure_note(base, candidate, JOBS) == note
    why = "the agent failed in 1 of 2 trials of marcus@1.1.0, which this measure leaves out"
    told = {*product({*VIRTUES, "timing", "assertion"}, ("pooled", "withheld", "lift"))}
    assert {*product(LEAVING_FAILURES_OUT, ("pooled", "withheld", "lift"))} == told
    assert uneven_failures(base, candidate, JOBS) == dict.fromkeys(told, why)
    assert uneven_failures(candidate, base, JOBS) == dict.fromkeys(told, why)


def test_the_same_share_in_every_job_is_even(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), failed("a"), trial("b")], [*[trial("a"), failed("a")] * 2, trial("b")])
    assert (failure_note(base, candidate, JOBS) or "").endswith("and in 2 of 5 trials of marcus@1.1.0")
    assert uneven_failures(base, candidate, JOBS) == {}


def test_failures_in_one_job_do_not_make_up_for_those_in_another(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("a"), failed("b")], [trial("a"), failed("a"), trial("b")])
    where = "in 1 of 3 trials of marcus@1.0.0 and in 1 of 3 trials of marcus@1.1.0"
    why = f"the agent failed {where}, which this measure leaves out"
    assert uneven_failures(base, candidate, JOBS)["wisdom", "pooled"] == why


def test_a_value_in_spite_of_the_failure_is_not_left_out(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a")], [failed("a", timing=0.3, assertion=0.0)])
    assert {measure for measure, _ in uneven_failures(base, candidate, JOBS)} == {*VIRTUES}


def test_a_measure_that_a_job_does_not_have_misses_none_of_its_trials(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = (
        replace(side, measures=[row for row in side.measures if (row["measure"], row["job"]) != ("timing", "b")])
        for side in sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    )
    uneven = uneven_failures(base, candidate, JOBS)
    assert ("timing", "pooled") not in uneven
    assert ("assertion", "pooled") in uneven


@pytest.mark.parametrize(
    "left_out", [failed("a", "supplied"), failed("other"), failed("a", scenario="s"), failed("a", valid=False)]
)
def test_trials_that_are_not_compared_do_not_count(
    sides: Callable[..., tuple[Side, Side]], left_out: Row
) -> None:
    base, candidate = sides([trial("a")], [trial("a"), left_out])
    assert failure_note(base, candidate, JOBS) is None
    assert uneven_failures(base, candidate, JOBS) == {}


MEAN = 0.6


@pytest.mark.parametrize(
    ("own", "others", "mean", "counted"),
    [
        ([False] * 4, [False] * 4, MEAN, MEAN),
        ([True, False, False, False], [False] * 4, MEAN, MEAN * 3 / 4),
        ([True, True, True, False], [True, False], MEAN, MEAN / 2),  # of two left, one
        ([True, False], [True, True, True, False], MEAN, MEAN),
        ([True, False], [True, False], MEAN, MEAN),
        ([True], [False], None, 0.0),
        ([True, True], [True, False], None, 0.0),
        ([True], [True], None, None),
        ([True, False], [False], None, None),  # measured nowhere, though not for its failure
    ],
)
def test_what_a_side_failed_more_counts_as_zero(
    make_side: Callable[..., Side], own: list[bool], others: list[bool], mean: float | None, counted: float | None
) -> None:
    side, other = (make_side(trials=[failed("a") if fails else trial("a") for fails in each]) for each in (own, others))
    measured = {"wisdom": {"a": {"withheld": mean}} if mean is not None else {}, "task": {"a": {"withheld": 0.5}}}
    found = counting_failures(measured, side, other, JOBS)
    assert found.get("wisdom", {}).get("a", {}).get("withheld") == (counted and pytest.approx(counted))
    assert found["task"] == {"a": {"withheld": 0.5}}


TEN = [f"{place:02}" for place in range(10)]
NONE_FAILED: Mapping[str, int] = {}


@pytest.fixture
def compared(make_side: Callable[..., Side]) -> Callable[..., Comparison]:
    """Ten jobs of four trials, the candidate's wisdom moved by about `shift`; by job, how many failed on each side."""

    def make(shift: float, before: Mapping[str, int], after: Mapping[str, int]) -> Comparison:
        base, candidate = (
            _measured(make_side(agent_version=version), change, lost)
            for version, change, lost in (("marcus@1.0.0", 0.0, before), ("marcus@1.1.0", shift, after))
        )
        return compare(base, candidate, MinimalDifferences(), 0.5)

    return make


def _measured(side: Side, shift: float, lost: Mapping[str, int]) -> Side:
    """Under both conditions, the failed trials under the supplied one alone."""
    trials, rows = [], []
    for place, job in enumerate(TEN):
        for condition in ("withheld", "supplied"):
            fails = lost.get(job, 0) if condition == "supplied" else 0
            each = [*[failed(job, condition)] * fails, *[trial(job, condition)] * (4 - fails)]
            trials += [row | {"trial_id": f"{job}/{condition}/{number}"} for number, row in enumerate(each)]
            mean = 0.6 + shift * (1.1 if place % 2 else 0.9)
            row = {"measure": "wisdom", "job": job, "scenario": None, "condition": condition, "mean": mean}
            rows += [row] if fails < 4 else []
    return replace(side, trials=trials, measures=rows, jobs=dict.fromkeys(TEN, "1"))


def wisdom(comparison: Comparison, scope: Scope = "pooled") -> Finding:
    return next(each for each in comparison.findings if (each.measure, each.scope) == ("wisdom", scope))


EVERY_JOB = dict.fromkeys(TEN, 2)


@pytest.mark.parametrize(
    ("shift", "before", "after", "verdict"),
    [
        (-0.2, {"00": 1}, {"01": 1}, "regressed"),  # some failures on each side hide no drop of 0.2
        (-0.2, {"00": 4}, NONE_FAILED, "regressed"),
        (-0.2, NONE_FAILED, EVERY_JOB, "regressed"),  # the candidate's own failures make it no better
        (-0.2, EVERY_JOB, EVERY_JOB, "regressed"),
        (-0.1, EVERY_JOB, NONE_FAILED, "inconclusive"),  # counted as 0, they lower the base as far
        (0.2, NONE_FAILED, {"00": 1}, "improved"),
        (0.2, EVERY_JOB, NONE_FAILED, "improved"),
        (0.2, NONE_FAILED, EVERY_JOB, "inconclusive"),
        (0.01, NONE_FAILED, NONE_FAILED, "unchanged"),
        (0.01, {"00": 1}, {"01": 1}, "unchanged"),
        (0.01, EVERY_JOB, NONE_FAILED, "inconclusive"),
        (0.01, NONE_FAILED, EVERY_JOB, "inconclusive"),
    ],
)
def test_a_verdict_stands_if_it_comes_out_with_the_failures_of_whom_it_favours_counted_as_zero(
    compared: Callable[..., Comparison], shift: float, before: Any, after: Any, verdict: str
) -> None:
    assert wisdom(compared(shift, before, after)).verdict == verdict


def test_a_verdict_that_falls_says_what_would_be_found(compared: Callable[..., Comparison]) -> None:
    left_out = "the agent failed in 20 of 80 trials of marcus@1.1.0, which this measure leaves out"
    found, plain = (wisdom(compared(0.2, NONE_FAILED, after)) for after in (EVERY_JOB, NONE_FAILED))
    would = "counted as 0, they would make the difference ±0.00 and the verdict unchanged"
    assert found == replace(plain, verdict="inconclusive", why=f"{left_out}; {would}")


def test_a_lift_is_open_where_failures_are_uneven(compared: Callable[..., Comparison]) -> None:
    """Those under one condition raise it, those under the other lower it."""
    apart = _lifted(compared(0.1, {"00": 1}, NONE_FAILED))
    why = "the agent failed in 1 of 80 trials of marcus@1.0.0, which this measure leaves out"
    assert (apart.verdict, apart.why) == ("inconclusive", why)
    assert _lifted(compared(0.1, NONE_FAILED, NONE_FAILED)).verdict == "improved"


def _lifted(comparison: Comparison) -> Finding:
    """The lift if the candidate were better by 0.3 or so under the supplied condition."""
    candidate = comparison.candidate
    rows = [
        {**row, "mean": row["mean"] + (0.3 + int(row["job"]) / 100 if row["condition"] == "supplied" else 0.0)}
        for row in candidate.measures
    ]
    raised = replace(candidate, measures=rows)
    return wisdom(compare(comparison.base, raised, MinimalDifferences(), 0.5), "lift")


CELL = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=3)
"""Trials of a cell: what they are scored, and whether they fail, so that nobody knows."""
SIDE = st.fixed_dictionaries({("a", "withheld"): CELL, ("a", "supplied"): CELL, ("b", "withheld"): CELL})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(before=SIDE, after=SIDE)
def test_no_score_of_failed_trials_makes_a_side_worse_than_counting_them_as_zero(
    make_side: Callable[..., Side], before: Any, after: Any
) -> None:
    """Where the other side failed in none, counted is the mean with zeros, and so below all that they may hide."""
    after = {cell: [(score, False) for score, _ in each] for cell, each in after.items()}
    base, candidate = (_filled(make_side(), cells) for cells in (before, after))
    measured = [cells_by_measure(side.measures) for side in (base, candidate)]
    counted = counting_failures(measured[0], base, candidate, JOBS)["wisdom"]
    zeros = {cell: [(0.0 if fails else score, False) for score, fails in each] for cell, each in before.items()}
    found, exact, hidden = (
        _difference(each, measured[1]["wisdom"]) for each in (counted, _cells(zeros), _cells(before))
    )
    assert found == pytest.approx(exact)
    assert found >= hidden - 1e-9


def _filled(side: Side, cells: Any) -> Side:
    trials = [
        failed(*cell) if fails else trial(*cell, wisdom=score) for cell, each in cells.items() for score, fails in each
    ]
    seen = _cells({cell: [each for each in trials if not each[1]] for cell, trials in cells.items()})
    measures = [
        {"measure": "wisdom", "job": job, "scenario": None, "condition": condition, "mean": mean}
        for job, conditions in seen.items() for condition, mean in conditions.items()
    ]
    return replace(side, trials=trials, measures=measures)


def _cells(cells: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for (job, condition), trials in cells.items():
        if trials:
            found.setdefault(job, {})[condition] = fmean(score for score, _ in trials)
    return found


def _difference(base: Any, candidate: Any) -> float:
    return fmean(pair.difference for pair in paired(base, candidate, "pooled"))
