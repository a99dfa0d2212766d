"""What trials in which the agent failed forbid to say of those that are left."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.comparison.measures import GATING, LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import cells_by_measure, paired
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.comparison.survivors import by_survivors, failure_note
from stoic_assets.core.judging.virtues import VIRTUES

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
    assert not any(each.barred for each in by_survivors(base, candidate, JOBS).values())


def test_only_what_stands_against_the_survivors_may_be_said(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    note = "the agent failed in 0 of 2 trials of marcus@1.0.0, and in 1 of 2 trials of marcus@1.1.0"
    assert failure_note(base, candidate, JOBS) == note
    why = "the agent failed in 1 of 2 trials of marcus@1.1.0, which this measure leaves out"
    barred, mirrored = by_survivors(base, candidate, JOBS), by_survivors(candidate, base, JOBS)
    assert {measure for measure, _ in barred} == set(LEAVING_FAILURES_OUT) == {*VIRTUES, "timing", "assertion"}
    for measure in LEAVING_FAILURES_OUT:
        for scope in ("pooled", "withheld"):
            assert barred[measure, scope].barred == {"improved": why, "unchanged": why}
        assert mirrored[measure, "pooled"].barred == {"regressed": why, "unchanged": why}
        assert barred[measure, "lift"].barred.keys() == {"improved", "regressed", "unchanged"}
        assert barred[measure, "supplied"].barred == {}


def test_the_same_share_in_every_job_forbids_nothing(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), failed("a"), trial("b")], [*[trial("a"), failed("a")] * 2, trial("b")])
    assert (failure_note(base, candidate, JOBS) or "").endswith("and in 2 of 5 trials of marcus@1.1.0")
    assert not any(each.barred for each in by_survivors(base, candidate, JOBS).values())


@pytest.mark.parametrize("more_of_b", [[], [failed("b")]], ids=["as many in all", "more in all"])
def test_failures_in_one_job_do_not_make_up_for_those_in_another(
    sides: Callable[..., tuple[Side, Side]], more_of_b: list[Row]
) -> None:
    """A job that one side failed throughout, and so did not measure, rules out verdicts nevertheless."""
    base, candidate = sides([trial("a"), trial("a"), failed("b"), *more_of_b], [trial("a"), failed("a"), trial("b")])
    base = replace(base, measures=[row for row in base.measures if row["job"] != "b"])
    for sides_ in ((base, candidate), (candidate, base)):
        found = by_survivors(*sides_, JOBS)["wisdom", "pooled"]
        assert found.barred.keys() == {"improved", "regressed", "unchanged"}
        assert found.leeway == 1.25  # half of a, and as far as can be in b


def test_both_sides_are_named_where_both_failed(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("a"), failed("a")], [trial("a"), failed("a"), failed("a")])
    found = by_survivors(base, candidate, JOBS)["wisdom", "pooled"]
    where = "in 1 of 3 trials of marcus@1.0.0 and in 2 of 3 trials of marcus@1.1.0"
    why = f"the agent failed {where}, which this measure leaves out"
    assert found.barred == dict.fromkeys(("improved", "unchanged"), why)
    assert found.leeway == pytest.approx(1 / 3 + 2 / 3)


def test_a_value_in_spite_of_the_failure_is_no_survivor(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a")], [failed("a", timing=0.3, assertion=0.0)])
    barred = by_survivors(base, candidate, JOBS)
    assert (barred["timing", "pooled"].barred, barred["assertion", "pooled"].barred) == ({}, {})
    assert barred["wisdom", "pooled"].barred


def test_a_measure_that_a_job_does_not_have_misses_none_of_its_trials(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = (
        replace(side, measures=[row for row in side.measures if (row["measure"], row["job"]) != ("timing", "b")])
        for side in sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    )
    barred = by_survivors(base, candidate, JOBS)
    assert barred["timing", "pooled"].barred == {}
    assert barred["assertion", "pooled"].barred


def test_the_leeway_is_what_failed_trials_could_make_up_at_most(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [*[trial("a")] * 3, failed("a"), trial("b")])
    found = by_survivors(base, candidate, JOBS)
    assert found["wisdom", "pooled"].leeway == 0.125  # a quarter in one of two jobs
    assert found["wisdom", "lift"].leeway == 2.0


def test_a_failure_weighs_what_its_job_weighs_in_the_difference(sides: Callable[..., tuple[Side, Side]]) -> None:
    """Jobs count alike, whether they have one condition or two."""
    both = [trial("a", condition) for condition in ("withheld", "supplied")]
    base, candidate = sides([*both, trial("b")], [*both, trial("b"), failed("b")])
    assert by_survivors(base, candidate, JOBS)["wisdom", "pooled"].leeway == 0.25  # half of one of two jobs


def test_no_score_of_a_failed_trial_puts_the_difference_beyond_the_leeway(
    sides: Callable[..., tuple[Side, Side]]
) -> None:
    """The base failed in b throughout: the others' mean stands for it, which is 2 away from the worst it may hide."""
    base, candidate = sides([trial("a"), failed("b")], [trial("a"), trial("b")])
    assert by_survivors(base, candidate, JOBS)["wisdom", "pooled"].leeway == 1.0  # of two jobs the farthest in one


CELL = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.booleans()), min_size=1, max_size=2)
"""Trials of a cell: what they are scored, and whether they fail, so that nobody knows."""
SIDE = st.fixed_dictionaries({("a", "withheld"): CELL, ("a", "supplied"): CELL, ("b", "withheld"): CELL})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(before=SIDE, after=SIDE)
def test_whatever_failed_trials_would_have_been_scored_the_difference_is_within_the_leeway(
    make_side: Callable[..., Side], before: Any, after: Any
) -> None:
    """What both sides failed in throughout is no part of the comparison."""
    seen = {cell for cell in before if not all(fails for _, fails in [*before[cell], *after[cell]])}
    before, after = ({cell: each[cell] for cell in seen} for each in (before, after))
    sides = [_filled(make_side(), cells) for cells in (before, after)]
    found = _difference(*(cells_by_measure(side.measures)["wisdom"] for side in sides))
    truth = _difference(*(_cells(cells) for cells in (before, after)))
    if found is not None and truth is not None:
        assert abs(found - truth) <= by_survivors(*sides, JOBS)["wisdom", "pooled"].leeway + 1e-9


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


def _difference(base: Any, candidate: Any) -> float | None:
    pairs = paired(base, candidate, "pooled")
    return fmean(pair.difference for pair in pairs) if pairs else None


@pytest.mark.parametrize(
    "left_out", [failed("a", "supplied"), failed("other"), failed("a", scenario="s"), failed("a", valid=False)]
)
def test_trials_that_are_not_compared_do_not_count(
    sides: Callable[..., tuple[Side, Side]], left_out: Row
) -> None:
    base, candidate = sides([trial("a")], [trial("a"), left_out])
    assert failure_note(base, candidate, JOBS) is None
    assert not any(each.barred for each in by_survivors(base, candidate, JOBS).values())
