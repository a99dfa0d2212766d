"""Gates at their edges: what meets them, what lacks something, and what is not asked."""

import pytest

from stoic_assets.core.scoring.gates import shortfalls

NO_TOTAL = "there is no average score to compare with --fail-under 0: `overall` takes tasks, assertions or "
NONE_PASSED = "no trial has a task or assertion to pass, as --min-passed 0 needs"


@pytest.mark.parametrize(
    ("average", "gate", "said"),
    [
        (0.896, 0.9, "0.896 is below 0.9"),  # rounded to 0.90 it passed
        (0.89996, 0.9, "0.89996 is below 0.9"),
        (0.5, 0.9, "0.50 is below 0.9"),
        (0.0, 0.1, "0.00 is below 0.1"),
        ((0.01 + 0.28) / 2, 0.2, "0.15 is below 0.2"),  # as the average score is rounded: 0.145 itself becomes 0.14
        (0.9049, 0.904, None),  # rounded to 0.90 it failed
        (0.1 * 3, 0.3, None),
        (0.9 - 1e-12, 0.9, None),  # a mean of numbers that are 0.9
        (0.0, 0.0, None),
        (None, None, None),
    ],
)
def test_a_gate_goes_by_the_mean_that_is_stored_and_shows_what_is_missing(
    average: float | None, gate: float | None, said: str | None
) -> None:
    assert shortfalls(average, (), gate, None) == ([f"the average score {said}"] if said else [])


@pytest.mark.parametrize(
    ("passed", "gate", "said"),
    [
        (2, 0.7, "2 of 3 trials passed (0.67), fewer than 0.7"),
        (2, 2 / 3, None),
        (2, 2 / 3 + 1e-12, None),  # a gate that was computed, in another way
        (2, 0.6667, "2 of 3 trials passed (0.66667), fewer than 0.6667"),
        (0, 0.0, None),
    ],
)
def test_a_gate_on_passed_trials_goes_by_their_share(passed: int, gate: float, said: str | None) -> None:
    trials = [number < passed for number in range(3)]
    assert shortfalls(None, trials, None, gate) == ([said] if said else [])


def test_a_gate_of_nought_is_a_gate_for_what_has_no_score_to_meet_it() -> None:
    average, passed = shortfalls(None, [], 0.0, 0.0)
    assert average.startswith(NO_TOTAL)
    assert passed == NONE_PASSED
