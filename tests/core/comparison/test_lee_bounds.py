"""What is left of a side without as many of its worst trials and jobs as the other side failed in."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

import pytest
from failing_sides import JOBS, failed, of_cells, trial
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.comparison.lee_bounds import without_worst
from stoic_assets.core.comparison.paired_jobs import cells_by_measure
from stoic_assets.core.comparison.side import Side

Row = dict[str, Any]


@pytest.mark.parametrize(
    ("own", "others", "mean"),
    [
        ([0.9, 0.3, 0.6], [0.5] * 3, 0.6),
        ([0.9, 0.3, 0.6], [0.5, 0.5, None], 0.75),
        ([0.9, 0.3, 0.6], [0.5, None, None], 0.9),
        ([0.9, 0.3, 0.6], [0.5, None], (0.9 + 0.6 / 2) / 1.5),  # half of three
        ([0.9, 0.3, None], [0.5, None], 0.9),  # half of the two that it completed
        ([0.9, None, None], [0.5, 0.5, 0.5], 0.9),
        ([0.9, 0.3, 0.6], [None] * 3, 0.6),  # not compared
        ([0.9, "silent", "silent"], [0.5, 0.5, None], None),  # it may be the one that has a score
        ([0.9, 0.3, "silent"], [0.5, 0.5, None], 0.9),
    ],
)
def test_the_worst_trials_are_left_out_in_the_share_that_the_other_side_failed_in(
    make_side: Callable[..., Side], own: list[Any], others: list[Any], mean: float | None
) -> None:
    side, other = (scored(make_side(), each) for each in (own, others))
    measured = {**cells_by_measure(side.measures), "task": {("a", "withheld"): 0.5}}
    found = without_worst(measured, cells_by_measure(other.measures), side, other, JOBS)
    assert found["wisdom"].get(("a", "withheld")) == (mean and pytest.approx(mean))
    assert found["task"] == {("a", "withheld"): 0.5}


def test_the_worst_are_left_out_in_whichever_cell_they_are_but_under_the_same_condition(
    make_side: Callable[..., Side]
) -> None:
    """They are measured against the mean of their cell: a hard job is not made up of bad trials."""
    cells = {("a", "withheld"): [0.9, 0.1], ("b", "withheld"): [0.2, 0.2], ("a", "supplied"): [0.8, 0.0]}
    side = of_cells(make_side(), cells)
    other = of_cells(make_side(), {**cells, ("b", "withheld"): [0.2, None]})
    found = wisdom_without_worst(side, other)
    assert found == {
        ("a", "withheld"): pytest.approx(0.9), ("a", "supplied"): pytest.approx(0.4), ("b", "withheld"): 0.2
    }


def test_of_trials_that_are_equally_bad_as_large_a_part_is_left_out_in_each_job(make_side: Callable[..., Side]) -> None:
    """Else the names of the jobs would decide which of them lose a trial."""
    side = of_cells(make_side(), {("a", "withheld"): [0.9, 0.3], ("b", "withheld"): [0.7, 0.1]})
    other = of_cells(make_side(), {("a", "withheld"): [0.5, None], ("b", "withheld"): [0.5, 0.5]})
    means = [pytest.approx((0.9 + 0.3 / 2) / 1.5), pytest.approx((0.7 + 0.1 / 2) / 1.5)]
    assert wisdom_without_worst(side, other) == {(job, "withheld"): mean for job, mean in zip("ab", means, strict=True)}


@pytest.mark.parametrize("other_way", [failed("a", timing=0.0), trial("a", timing=0.0, valid=False)])
def test_a_trial_that_does_not_count_anyway_is_none_of_the_worst(
    make_side: Callable[..., Side], other_way: Row
) -> None:
    """The replies before the failure were timed as well."""

    def timed(*trials: Row) -> Side:
        rows = [each | {"trial_id": f"t{number}"} for number, each in enumerate(trials)]
        cell = {"measure": "timing", "job": "a", "scenario": None, "condition": "withheld", "mean": 0.6}
        return replace(make_side(), trials=rows, measures=[cell])

    side = timed(trial("a", timing=0.9), trial("a", timing=0.3), other_way)
    other = timed(trial("a", timing=0.6), failed("a"))
    own, others = (cells_by_measure(each.measures) for each in (side, other))
    found = without_worst(own, others, side, other, JOBS)
    assert found["timing"]["a", "withheld"] == pytest.approx(0.9)


FIVE = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("others", "kept"),
    [
        ([[0.5], [0.3], [0.5], [0.6], [0.4]], "abcde"),
        ([[None], [0.3], [0.5], [0.6], [0.4]], "bce"),  # furthest below the other side in d
        ([[None, None], [None], [0.5], [0.6], [0.4]], "e"),
        ([["silent"], [0.3], [0.5], [0.6], [0.4]], "bcde"),  # nothing failed in a
        ([["silent", None], [0.3], [0.5], [0.6], [0.4]], "bce"),
    ],
)
def test_as_many_of_the_worst_cells_are_left_out_as_the_other_side_failed_throughout(
    make_side: Callable[..., Side], others: list[list[Any]], kept: str
) -> None:
    side = of_cells(make_side(), {(job, "withheld"): [0.5] for job in FIVE})
    other = of_cells(make_side(), {(job, "withheld"): scores for job, scores in zip(FIVE, others, strict=True)})
    found, measured = wisdom_without_worst(side, other), {row["job"] for row in other.measures}
    assert {job for job, _ in found if job in measured} == set(kept)


def test_of_cells_that_are_equally_bad_that_of_the_job_that_is_worse_in_all_goes_first(
    make_side: Callable[..., Side]
) -> None:
    """Else the names of the jobs would decide."""
    for bad, good in (("a", "b"), ("b", "a")):
        level = {(job, condition): [0.5] for job in FIVE for condition in ("withheld", "supplied")}
        other = of_cells(make_side(), {**level, (bad, "supplied"): [0.9], ("d", "withheld"): [None]})
        found = wisdom_without_worst(of_cells(make_side(), {**level, ("c", "withheld"): [0.8]}), other)
        assert {condition for job, condition in found if job == bad} == {"supplied"}
        assert {condition for job, condition in found if job == good} == {"supplied", "withheld"}


def test_how_much_worse_a_job_is_in_all_goes_by_what_both_measured(make_side: Callable[..., Side]) -> None:
    level = {(job, condition): [0.5] for job in "ab" for condition in ("withheld", "supplied")}
    other = of_cells(make_side(), {**level, ("b", "supplied"): ["silent"], ("c", "withheld"): [None]})
    side = of_cells(make_side(), {**level, ("a", "supplied"): [0.4], ("c", "withheld"): [0.8]})
    found = wisdom_without_worst(side, other)
    assert {condition for job, condition in found if job == "a"} == {"supplied"}
    assert found["b", "withheld"] == 0.5


def test_a_cell_of_which_only_a_rounding_error_is_left_is_not_compared(make_side: Callable[..., Side]) -> None:
    """15 / 22 · 22 is less than 15: the 14 bad trials and the one that is as good as the mean of its cell."""
    side = of_cells(make_side(), {("a", "withheld"): [0.5], ("b", "withheld"): [0.4] * 14 + [0.7] * 7})
    other = of_cells(make_side(), {("a", "withheld"): [0.5], ("b", "withheld"): [0.5] * 6 + [None] * 15})
    assert wisdom_without_worst(side, other) == {("b", "withheld"): pytest.approx(0.7)}


def test_cells_that_only_the_rounding_of_binary_numbers_sets_apart_are_equally_bad(
    make_side: Callable[..., Side]
) -> None:
    """0.5 − 0.4 is less than 0.4 − 0.3."""
    own, others = ({"a": 0.4, "b": 0.5, "c": 0.5}, {"a": 0.3, "b": 0.4, "c": None})
    side, other = (
        of_cells(make_side(), {(job, "withheld"): [score] for job, score in each.items()}) for each in (own, others)
    )
    found = wisdom_without_worst(side, other)
    assert found == {("b", "withheld"): 0.5, ("c", "withheld"): 0.5}


def wisdom_without_worst(side: Side, other: Side) -> Any:
    own, others = (cells_by_measure(each.measures) for each in (side, other))
    return without_worst(own, others, side, other, set(FIVE))["wisdom"]


def scored(side: Side, scores: Sequence[Any]) -> Side:
    """The trials of one cell."""
    return of_cells(side, {("a", "withheld"): scores})


CELL = st.lists(st.floats(0, 1), min_size=1, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=CELL, data=st.data())
def test_no_choice_of_trials_gives_a_higher_mean_than_without_the_worst(
    make_side: Callable[..., Side], scores: list[float], data: st.DataObject
) -> None:
    """Whichever trials the other side's failures correspond to."""
    fails = data.draw(st.integers(0, len(scores) - 1))
    side, other = scored(make_side(), scores), scored(make_side(), [None] * fails + [0.5] * (len(scores) - fails))
    found = wisdom_without_worst(side, other)["a", "withheld"]
    choices = [fmean(chosen) for chosen in combinations(scores, len(scores) - fails)]
    assert found == pytest.approx(max(choices))
