"""Assertions that hold significantly less often: their p, the promise about false alarms, and what is left alone."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import comb, prod

import pytest
from compared_sides import reminders
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion
from stoic_assets.core.comparison.weaker_assertions import can_weaken, weaker_assertions

NAMES = ("a", "b", "c")
Cell = tuple[int, int, int, int]
"""Trials of the base in which an assertion held, and all of them; the same of the candidate."""


def pair(name: str, cell: Cell, job: str = "j", condition: str = "withheld") -> PairedAssertion:
    return PairedAssertion(job, condition, f"text of {name}", Held(name, *cell[:2]), Held(name, *cell[2:]))


def p_of(*cells: Cell) -> float:
    """The p of an assertion with these cells, one for each job; 1 where it is not named."""
    found = weaker_assertions([pair("a", cell, f"j{number}") for number, cell in enumerate(cells)], delta=0)
    return found[0].p if found else 1.0


def test_of_one_job_it_is_fishers_exact_test() -> None:
    for cell in ((5, 5, 0, 5), (9, 10, 3, 8), (12, 12, 7, 12)):
        before, trials, now, later = cell
        table = [[now, later - now], [before, trials - before]]
        assert p_of(cell) == pytest.approx(fisher_exact(table, alternative="less").pvalue)


def test_jobs_add_up_though_in_none_of_them_it_is_significant() -> None:
    assert p_of((3, 3, 1, 3)) == 1
    assert p_of(*[(3, 3, 1, 3)] * 6) < 1e-3


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2, *[st.integers(1, 3)] * 2), min_size=1, max_size=3))
def test_p_counts_the_ways_in_which_trials_can_be_divided(drawn: Sequence[Cell]) -> None:
    cells = [(min(before, trials), trials, min(now, later), later) for before, now, trials, later in drawn]
    held = [before + now for before, _, now, _ in cells]
    ways = [
        {k: comb(later, k) * comb(trials, all_held - k) for k in range(min(later, all_held) + 1)}
        for (_, trials, _, later), all_held in zip(cells, held, strict=True)
    ]
    observed, total = sum(now for _, _, now, _ in cells), prod(sum(each.values()) for each in ways)
    as_few = sum(
        prod(each[k] for each, k in zip(ways, split, strict=True))
        for split in product(*ways) if sum(split) <= observed
    )  # fmt: skip
    expected = as_few / total
    assert p_of(*cells) == pytest.approx(expected if expected <= 0.05 and _fell(cells) else 1)


def _fell(cells: Sequence[Cell]) -> bool:
    return sum(now / later - before / trials for before, trials, now, later in cells) <= 1e-9


@pytest.mark.parametrize("chance", [0.5, 0.8, 0.95])
def test_among_versions_that_are_equal_at_most_one_in_twenty_has_any(chance: float) -> None:
    """Over all results of three assertions in four and three trials, each as likely as it is."""
    likely = {n: [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)] for n in (3, 4)}
    one = [((before, 4, now, 3), likely[4][before] * likely[3][now]) for before in range(5) for now in range(4)]
    alarmed = sum(
        prod(share for _, share in drawn)
        for drawn in product(one, repeat=3)
        if weaker_assertions([pair(name, cell) for name, (cell, _) in zip(NAMES, drawn, strict=True)], delta=0)
    )  # fmt: skip
    assert 0 < alarmed <= 0.05


def test_assertions_that_cannot_be_significant_take_nothing_from_the_others() -> None:
    kept = [pair(f"kept {number}", (5, 5, 5, 5)) for number in range(40)]
    once = [pair(f"failed once {number}", (5, 5, 4, 5)) for number in range(40)]
    [found] = weaker_assertions([*kept, pair("fell", (5, 5, 0, 5)), *once], delta=0.1)
    assert (found.what, found.p, found.p_adjusted) == ("fell", 1 / 252, 1 / 252)
    three = [pair("fell", (5, 5, 0, 5)), pair("too", (5, 5, 0, 5)), pair("less", (5, 5, 1, 5))]
    adjusted = [each.p_adjusted for each in weaker_assertions(three, 0.1)]
    assert adjusted == pytest.approx([2 / 252, 2 / 252, 6 / 252])  # the third by itself: C(5, 1) C(5, 5) / C(10, 6)


@pytest.mark.parametrize("cells", [[(3, 3, 0, 3)] * 2, [(5, 5, 0, 5)] * 40, [(3, 3, 0, 3), (3, 3, 1, 3)]])
def test_where_everything_falls_together_everything_is_named_that_would_be_alone(cells: list[Cell]) -> None:
    fell = [[pair(f"n{number}", cell, f"j{job}") for job in range(2 if cell[2] else 1)]
            for number, cell in enumerate(cells)]  # fmt: skip
    assert len(weaker_assertions([each for pairs in fell for each in pairs], 0.1)) == len(cells)


def test_five_in_a_hundred_is_enough_however_it_is_added_up() -> None:
    """In fractions it is 1/20, in floats a little more."""
    p = p_of((1, 1, 0, 3), (0, 1, 1, 3), (3, 3, 0, 3))
    assert 0.05 < p < 0.05 + 1e-9


def test_thousands_of_trials_of_one_job_are_counted_soon() -> None:
    [found] = weaker_assertions([pair("n", (9_000, 10_000, 5_000, 10_000))], 0.1)
    assert (found.change, found.p) == (pytest.approx(-0.4), pytest.approx(0.0, abs=1e-300))


def test_a_drop_smaller_than_the_least_that_matters_is_left_alone() -> None:
    fell = reminders((5, 0), *[(5, 5)] * 9)
    assert [each.change for each in weaker_assertions(fell, delta=0.1)] == [pytest.approx(-0.1)]
    assert weaker_assertions(reminders((5, 0), *[(5, 5)] * 10), delta=0.1) == ()


def test_an_assertion_that_a_job_checks_twice_counts_its_trials_once() -> None:
    [cell] = reminders((5, 2))
    twice = [replace(cell, base=Held("1", 5, 5), candidate=Held("1", 2, 5), text="same")]
    twice += [replace(cell, base=Held("2", 5, 5), candidate=Held("2", 2, 5), text="same")]
    assert weaker_assertions(twice, 0.1) == ()
    assert weaker_assertions([twice[0], replace(twice[1], condition="supplied")], 0.1) != ()


def test_without_a_name_the_same_text_that_expects_something_else_checks_something_else() -> None:
    def counted(before: int, now: int, expected: str) -> list[PairedAssertion]:
        sides = {"base": Held("1", before, 5, expected), "candidate": Held("1", now, 5, expected)}
        return [replace(cell, text="RETURN count(r)", **sides) for cell in reminders(*[(5, 5)] * 4)]

    [found] = weaker_assertions([*counted(5, 2, "1"), *counted(2, 5, "0")], 0.1)
    assert (len(found.pairs), found.change) == (4, pytest.approx(-0.6))
    assert found.what == "RETURN count(r) (expects 1)"


def test_the_greatest_loss_comes_first_and_only_cells_that_fell_are_counted_as_such() -> None:
    some, all_of_it = reminders((5, 2), (4, 5), (5, 0), (5, 1)), pair("gone", (5, 5, 0, 5))
    gone, less = weaker_assertions([*some, all_of_it], 0.1)
    assert (gone.what, gone.change, less.what, less.change) == ("gone", -1, "reminder stored", pytest.approx(-0.55))
    assert [cell.change for cell in less.pairs] == pytest.approx([-1.0, -0.8, -0.6, 0.2])
    assert len(less.fell) == 3
    assert (gone.broke_wherever_it_fell, less.broke_wherever_it_fell) == (True, False)
    entry = less.row()
    assert (entry["assertion"], entry["p"], len(entry["cells"])) == ("reminder stored", less.p, 4)
    assert entry["cells"][0]["candidate"] == {"held": 0, "of": 5}


@pytest.mark.parametrize(
    ("trials", "jobs", "can"),
    [((1, 1), 4, False), ((1, 1), 5, True), ((2, 2), 1, False), ((2, 2), 2, True), ((3, 3), 1, True)],
)
def test_whether_anything_could_be_named(trials: tuple[int, int], jobs: int, can: bool) -> None:
    base, candidate = trials
    pairs = [pair("a", (0, base, candidate, candidate), f"j{number}") for number in range(jobs)]
    assert can_weaken(pairs) == can
    all_fell = [pair("a", (base, base, 0, candidate), f"j{number}") for number in range(jobs)]
    assert bool(weaker_assertions(all_fell, 0.1)) == can
