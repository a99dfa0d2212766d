"""How often each assertion held in two versions."""

from collections.abc import Sequence
from typing import Any

import pytest

from stoic_assets.core.comparison.paired_assertions import Held, PairedAssertion, asked_alike, held, paired_assertions

Row = dict[str, Any]
SCORES = [
    {"trial_id": name, "job": "j", "condition": "withheld", "valid": name != "broken off"}
    for name in ("1", "2", "broken off")
]


def result(trial: str, assertion: str, text: str, passed: bool | None, weight: float = 1.0) -> Row:
    return {"trial_id": trial, "assertion": assertion, "text": text, "passed": passed, "weight": weight}


def test_invalid_trials_and_unobserved_assertions_decide_nothing() -> None:
    decided = (("1", True), ("2", None), ("broken off", False))
    found = held(SCORES, [result(name, "1", "x", passed) for name, passed in decided])
    assert list(found.values()) == [Held("1", passed=1, decided=1)]


def test_what_an_assertion_without_a_name_expects_is_part_of_it() -> None:
    found = held(SCORES, [result("1", name, "x", True) | {"expected": "1"} for name in ("1", "order")])
    assert [each.expected for each in found.values()] == ["1", None]


def test_an_assertion_without_weight_is_left_out() -> None:
    assert held(SCORES, [result("1", "1", "x", False, weight=0.0)]) == {}


def changes(before: Sequence[Row], after: Sequence[Row]) -> list[tuple[str, float]]:
    return [
        (pair.candidate.assertion, pair.change)
        for pair in paired_assertions(held(SCORES, before), held(SCORES, after))
    ]


@pytest.mark.parametrize("names", [("order one", "order two"), ("1", "2")])
def test_assertions_that_share_their_text_are_told_apart(names: tuple[str, str]) -> None:
    one, two = names
    before = [result("1", one, "x", True), result("1", two, "x", False)]
    after = [result("1", one, "x", False), result("1", two, "x", True)]
    assert changes(before, after) == [(one, -1.0), (two, 1.0)]


def test_another_number_in_a_changed_job_makes_no_other_assertion() -> None:
    before = [result("1", "1", "x", True), result("1", "2", "y", True)]
    after = [result("1", "1", "new", True), result("1", "2", "x", False), result("1", "3", "y", True)]
    assert changes(before, after) == [("2", -1.0), ("3", 0.0)]


def test_one_more_of_the_same_text_makes_the_former_no_others() -> None:
    before = [result("1", "1", "x", True), result("1", "2", "x", False)]
    after = [*before, result("1", "3", "x", True)]
    assert changes(before, after) == [("1", 0.0), ("2", 0.0)]


def test_numbers_have_their_own_order() -> None:
    before = [result("1", str(number), "x", number == 10) for number in (10, 9)]
    after = [result("1", str(number), "x", number == 9) for number in (9, 10)]
    assert changes(before, after) == [("10", -1.0), ("9", 1.0)]


@pytest.mark.parametrize(
    ("base", "candidate", "found"),
    [
        (Held("1", 2, 2), Held("1", 0, 2), (True, False, True)),
        (Held("1", 0, 2), Held("1", 3, 3), (False, True, True)),
        (Held("1", 1, 1), Held("1", 0, 2), (True, False, False)),
        (Held("1", 2, 2), Held("1", 0, 1), (True, False, False)),
        (Held("1", 1, 2), Held("1", 0, 2), (False, False, True)),
        (Held("1", 2, 2), Held("1", 1, 2), (False, False, True)),
        (Held("1", 2, 2), Held("1", 2, 2), (False, False, True)),
    ],
)
def test_broken_is_what_always_held_and_never_holds(
    base: Held, candidate: Held, found: tuple[bool, bool, bool]
) -> None:
    pair = PairedAssertion("j", "withheld", "x", base, candidate)
    assert (pair.broken, pair.fixed, pair.repeated) == found


def test_what_turned_in_a_job_that_was_changed_is_no_change_of_the_agent() -> None:
    names = ("same", "same~1", "changed", "changed~1")
    broken = [PairedAssertion(job, "withheld", "x", Held("1", 1, 1), Held("1", 0, 1)) for job in names]
    kept = PairedAssertion("same", "withheld", "y", Held("2", 1, 1), Held("2", 1, 1))
    base, candidate = (
        [{"job": "same", "job_hash": "h"}, {"job": "changed", "job_hash": version}] for version in ("1", "2")
    )
    assert asked_alike([*broken, kept], base, candidate) == [*broken[:2], kept]
