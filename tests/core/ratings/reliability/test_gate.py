"""The gate: three states on the interval, and how many more raters it would take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.ratings.reliability.estimate import Estimate, undefined
from stoic_assets.core.ratings.reliability.gate import gate

NEEDED = "half of the items have fewer than 3 marks, so 1 more rater is needed in any case"


def alpha(low: float, estimate: float, high: float) -> Estimate:
    return Estimate(estimate, low, high, None)


@pytest.mark.parametrize(
    ("interval", "state"),
    [
        (alpha(0.61, 0.7, 0.8), "pass"), (alpha(0.60, 0.7, 0.8), "unknown"), (alpha(0.2, 0.3, 0.49), "fail"),
        (alpha(0.2, 0.3, 0.50), "unknown"), (alpha(0.3, 0.55, 0.8), "unknown"), (alpha(0.52, 0.55, 0.58), "unknown"),
    ],
)  # fmt: skip
def test_the_whole_interval_decides(interval: Estimate, state: str) -> None:
    found = gate(interval, marks_per_item=3)
    assert found.state == state
    assert found.why


def test_more_raters_are_named_when_they_would_settle_it() -> None:
    # g(3) = 2.5/√6 = 1.021 and g(4) = 3.25/√12 = 0.938 at ρ = 0.75: the half of 0.16 shrinks to 0.147 < 0.15.
    found = gate(alpha(0.59, 0.75, 0.85), marks_per_item=3)
    assert (found.state, found.more_raters) == ("unknown", 1)
    assert "1 more" in found.why


def test_more_raters_on_the_lower_line() -> None:
    found = gate(alpha(0.1, 0.3, 0.52), marks_per_item=3)
    assert (found.state, found.more_raters) == ("unknown", 1)


def test_nothing_is_promised_that_raters_cannot_do() -> None:
    between, wide = gate(alpha(0.4, 0.55, 0.7), 3), gate(alpha(0.3, 0.62, 0.9), 3)
    assert (between.state, between.more_raters) == (wide.state, wide.more_raters) == ("unknown", None)
    assert "sharpen" in between.why
    assert "more items" in wide.why


@pytest.mark.parametrize("estimate", [0.5, 0.6])
def test_an_alpha_on_a_line_is_between_the_lines(estimate: float) -> None:
    assert "sharpen" in gate(alpha(estimate - 0.1, estimate, estimate + 0.1), 3).why


def test_what_is_missing_in_any_case_is_named_though_fewer_would_decide() -> None:
    # g(2) = 1.237 and g(2.3) = 1.142 at ρ = 0.75: one more who marks 3 of 10 items would do, but not for three marks.
    assert gate(alpha(0.59, 0.75, 0.85), marks_per_item=2, marked=0.3).more_raters == 4


def test_fewer_than_three_marks_on_an_item_never_pass() -> None:
    found = gate(alpha(0.8, 0.9, 0.95), marks_per_item=2)
    assert (found.state, found.more_raters) == ("unknown", 1)
    assert found.why == NEEDED
    assert gate(alpha(0.1, 0.2, 0.3), marks_per_item=1).why.endswith("so 2 more raters are needed in any case")


@pytest.mark.parametrize("interval", [alpha(0.45, 0.55, 0.65), alpha(0.2, 0.595, 0.9), alpha(0.2, 0.61, 0.9)])
def test_with_two_marks_on_an_item_too_nothing_is_promised_that_raters_cannot_do(interval: Estimate) -> None:
    two, three = gate(interval, marks_per_item=2), gate(interval, marks_per_item=3)
    assert (two.state, two.more_raters, two.why) == ("unknown", None, f"{NEEDED}; besides, {three.why}")
    assert three.more_raters is None


@pytest.mark.parametrize(
    "none", [Estimate(0.7, None, None, "2 items: an interval needs at least 10"), undefined("every mark is the same")]
)
def test_more_raters_make_no_interval_where_each_item_has_a_pair_of_marks(none: Estimate) -> None:
    found = gate(none, marks_per_item=2)
    assert (found.state, found.more_raters, found.why) == ("unknown", None, f"{NEEDED}; besides, {none.why}")
    assert gate(none, marks_per_item=1).more_raters == 2


def test_raters_who_mark_half_of_the_items_must_be_twice_as_many() -> None:
    assert gate(alpha(0.8, 0.9, 0.95), marks_per_item=2, marked=0.5).more_raters == 2
    # g(3) = 1.021 and g(3.5) = 0.972 at ρ = 0.75: 0.16 shrinks to 0.152, with a whole mark more to 0.147.
    assert gate(alpha(0.59, 0.75, 0.85), marks_per_item=3, marked=0.5).more_raters == 2


def test_where_most_items_have_one_mark_or_none_there_is_an_answer_too() -> None:
    assert gate(alpha(0.59, 0.75, 0.85), marks_per_item=1).more_raters == 2
    never = gate(undefined("nobody gave a mark"), marks_per_item=0, marked=0.0)
    assert (never.state, never.more_raters) == ("unknown", None)
    assert "not applicable" in never.why


def test_an_undefined_alpha_says_why_and_asks_for_the_raters_that_are_missing() -> None:
    alone = gate(undefined("one rater gave marks: agreement needs two"), marks_per_item=1)
    assert (alone.state, alone.more_raters, alone.why) == ("unknown", 2, "one rater gave marks: agreement needs two")
    assert gate(undefined("every mark is the same"), marks_per_item=5).more_raters is None


@given(st.floats(0, 1), st.floats(0.01, 0.5), st.floats(0.2, 1), st.integers(3, 20))
def test_a_narrower_interval_never_asks_for_more_raters(
    estimate: float, reach: float, narrowing: float, raters: int
) -> None:
    wide = gate(alpha(estimate - reach, estimate, estimate + reach), raters)
    narrow = gate(alpha(estimate - reach * narrowing, estimate, estimate + reach * narrowing), raters)
    assert wide.state == "unknown" or wide.more_raters is None
    if wide.more_raters is not None and narrow.state == "unknown":
        assert narrow.more_raters is not None
        assert narrow.more_raters <= wide.more_raters
