"""What is said of failed trials, and which measures leave them out."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from failing_sides import JOBS, failed, trial

from stoic_assets.core.comparison.failed_trials import failure_note, failures_left_out
from stoic_assets.core.comparison.measures import GATING, LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.virtues import VIRTUES

Row = dict[str, Any]


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
    assert failures_left_out(base, candidate, JOBS) == {}


def test_what_is_left_out_is_told_by_measure_and_scope(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    note = "the agent failed in 0 of 2 trials of marcus@1.0.0, and in 1 of 2 trials of marcus@1.1.0"
    assert failure_note(base, candidate, JOBS) == note
    note = "the agent failed in 1 of 2 trials of marcus@1.1.0, and in 0 of 2 trials of marcus@1.0.0"
    assert failure_note(candidate, base, JOBS) == note
    why = "the agent failed in 1 of 2 trials of marcus@1.1.0, which this measure leaves out"
    told = {*product({*VIRTUES, "timing", "assertion"}, ("pooled", "withheld"))}
    assert {*product(LEAVING_FAILURES_OUT, ("pooled", "withheld"))} == told
    assert failures_left_out(base, candidate, JOBS) == dict.fromkeys(told, why)
    assert failures_left_out(candidate, base, JOBS) == dict.fromkeys(told, why)


def test_both_sides_are_named_where_both_failed(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("a"), failed("b")], [trial("a"), failed("a"), trial("b")])
    where = "in 1 of 3 trials of marcus@1.0.0 and in 1 of 3 trials of marcus@1.1.0"
    why = f"the agent failed {where}, which this measure leaves out"
    assert failures_left_out(base, candidate, JOBS)["wisdom", "pooled"] == why


def test_an_assertion_may_be_decided_in_spite_of_the_failure(sides: Callable[..., tuple[Side, Side]]) -> None:
    """The time of the replies before it says nothing of the one that did not come."""
    base, candidate = sides([trial("a")], [failed("a", timing=0.3, assertion=0.0)])
    assert {measure for measure, _ in failures_left_out(base, candidate, JOBS)} == {*VIRTUES, "timing"}


@pytest.mark.parametrize(("job", "touched"), [("a", True), ("b", False)])
def test_a_lift_is_touched_by_jobs_alone_that_have_one(
    sides: Callable[..., tuple[Side, Side]], job: str, touched: bool
) -> None:
    both = [trial("a"), trial("a", "supplied"), trial("b")]
    left_out = failures_left_out(*sides(both, [*both, failed(job)]), JOBS)
    assert ("wisdom", "withheld") in left_out
    assert ("wisdom", "supplied") not in left_out
    assert (("wisdom", "lift") in left_out) == touched


@pytest.mark.parametrize("stored", [True, False])
def test_a_measure_that_a_job_does_not_have_misses_none_of_its_trials(
    sides: Callable[..., tuple[Side, Side]], stored: bool
) -> None:
    def without(row: Row) -> list[Row]:
        return [row] if (row["measure"], row["job"]) != ("timing", "b") else [{**row, "mean": None}] * stored

    base, candidate = (
        replace(side, measures=[each for row in side.measures for each in without(row)])
        for side in sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    )
    left_out = failures_left_out(base, candidate, JOBS)
    assert ("timing", "pooled") not in left_out
    assert ("assertion", "pooled") in left_out


@pytest.mark.parametrize(
    "left_out", [failed("a", "supplied"), failed("other"), failed("a", scenario="s"), failed("a", valid=False)]
)
def test_trials_that_are_not_compared_do_not_count(
    sides: Callable[..., tuple[Side, Side]], left_out: Row
) -> None:
    base, candidate = sides([trial("a")], [trial("a"), left_out])
    assert failure_note(base, candidate, JOBS) is None
    assert failures_left_out(base, candidate, JOBS) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [(failed("b"), trial("b", valid=False)), (trial("b", valid=False), failed("b")), (failed("other"), trial("other"))],
)
def test_trials_that_the_other_side_has_none_to_compare_with_do_not_count(
    sides: Callable[..., tuple[Side, Side]], before: Row, after: Row
) -> None:
    base, candidate = sides([trial("a"), before], [trial("a"), after])
    assert failure_note(base, candidate, JOBS) is None
    assert failures_left_out(base, candidate, JOBS) == {}
