"""Pairs of jobs: whatever the order of rows, over the conditions that both versions have."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.comparison.paired_jobs import Cells, Pair, cells_by_measure, paired

Row = dict[str, Any]
SCORE = st.floats(0, 1)
CELLS = st.dictionaries(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["withheld", "supplied"])), SCORE)


def row(job: str, condition: str, measure: str, mean: float | None, scenario: str | None = None) -> Row:
    return {"job": job, "scenario": scenario, "condition": condition, "measure": measure, "mean": mean}


@given(CELLS, CELLS)
def test_pooled_is_the_mean_over_the_conditions_that_both_have(base: Cells, candidate: Cells) -> None:
    pairs = paired(base, candidate, "pooled")
    shared = base.keys() & candidate.keys()
    assert [pair.job for pair in pairs] == sorted({job for job, _ in shared})
    for pair in pairs:
        cells = [cell for cell in shared if cell[0] == pair.job]
        assert pair.base == pytest.approx(sum(base[cell] for cell in cells) / len(cells))
        assert pair.candidate == pytest.approx(sum(candidate[cell] for cell in cells) / len(cells))


@given(CELLS, CELLS, st.sampled_from(["pooled", "withheld", "supplied", "lift"]))
def test_swapped_sides_give_mirrored_pairs(base: Cells, candidate: Cells, scope: Any) -> None:
    there, back = paired(base, candidate, scope), paired(candidate, base, scope)
    assert [(pair.job, pair.base, pair.candidate) for pair in there] == [
        (pair.job, pair.candidate, pair.base) for pair in back
    ]
    assert [pair.difference for pair in there] == [-pair.difference for pair in back]


@given(CELLS, CELLS)
def test_one_condition_alone_and_the_lift(base: Cells, candidate: Cells) -> None:
    for condition in ("withheld", "supplied"):
        for pair in paired(base, candidate, condition):
            assert (pair.base, pair.candidate) == (base[pair.job, condition], candidate[pair.job, condition])
    for pair in paired(base, candidate, "lift"):
        supplied, withheld = (pair.job, "supplied"), (pair.job, "withheld")
        assert pair.base == base[supplied] - base[withheld]
        assert pair.difference == pytest.approx(candidate[supplied] - candidate[withheld] - pair.base)


def test_lift_needs_all_four_cells() -> None:
    base = {("a", "withheld"): 0.4, ("a", "supplied"): 0.9, ("b", "withheld"): 0.4, ("b", "supplied"): 0.9}
    candidate = {("a", "withheld"): 0.5, ("a", "supplied"): 0.7, ("b", "supplied"): 0.9}
    [pair] = paired(base, candidate, "lift")
    assert (pair.job, pair.base, pair.candidate) == ("a", 0.5, pytest.approx(0.2))


@given(st.integers())
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    rows = [
        row(job, condition, measure, (ord(job) % 7 + len(condition) + len(measure)) / 30)
        for job, condition, measure in product("abcde", ["withheld", "supplied"], ["wisdom", "task"])
    ]
    shuffled = rows.copy()
    Random(seed).shuffle(shuffled)
    assert cells_by_measure(rows) == cells_by_measure(shuffled)
    before, after = cells_by_measure(rows)["wisdom"], cells_by_measure(shuffled)["task"]
    assert paired(before, after, "pooled") == paired(dict(reversed(before.items())), after, "pooled")


def test_a_scenario_is_one_observation() -> None:
    rows = [row("marcus", "withheld", "wisdom", 0.1 * place, f"s{place}") for place in range(3)]
    cells = cells_by_measure([*rows, row("plain", "withheld", "wisdom", 0.9)])["wisdom"]
    assert {job for job, _ in cells} == {"marcus~s0", "marcus~s1", "marcus~s2", "plain"}
    assert len(paired(cells, cells, "pooled")) == 4


def test_a_cell_without_valid_trials_is_no_cell() -> None:
    assert cells_by_measure([row("a", "withheld", "wisdom", None)]) == {}


def test_a_difference_is_candidate_less_base() -> None:
    assert Pair("a", 0.75, 0.5).difference == -0.25
