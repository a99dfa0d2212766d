"""Looking up a calibrated confidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.judging.confidence_map import Calibration, ConfidenceMap

POINTS = ((0.0, 0.9), (0.1, 0.9), (0.3, 0.4))
FALLING = ConfidenceMap(virtue="wisdom", judges=("a", "b"), signal="spread", prompt_hashes=("p", "q"), points=POINTS)


@pytest.mark.parametrize(
    ("spread", "confidence"), [(0, 0.9), (0.05, 0.9), (0.1, 0.9), (0.2, 0.65), (0.3, 0.4), (9, 0.4)]
)
def test_points_are_joined_by_lines_with_level_ends(spread: float, confidence: float) -> None:
    assert FALLING.confidence(spread) == pytest.approx(confidence)


def test_one_point_is_a_level_line() -> None:
    level = FALLING.model_copy(update={"points": ((0.5, 0.7),)})
    assert {level.confidence(value) for value in (0, 0.5, 1)} == {0.7}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9, unique=True), st.data())
def test_it_never_leaves_its_points(xs: list[float], data: st.DataObject) -> None:
    ys = sorted(data.draw(st.lists(st.floats(0, 1), min_size=len(xs), max_size=len(xs))))
    found = FALLING.model_copy(update={"points": tuple(zip(sorted(xs), ys, strict=True))})
    first, second = sorted((data.draw(st.floats(0, 1)), data.draw(st.floats(0, 1))))
    assert ys[0] <= found.confidence(first) <= found.confidence(second) + 1e-12 <= ys[-1] + 2e-12


def test_a_map_is_for_its_judges_and_prompts_alone() -> None:
    known = Calibration([FALLING])
    assert known.map_for("wisdom", ["b", "a", "b"], "spread", ["q"]) is FALLING
    assert known.map_for("wisdom", ["a", "b"], "spread", ["q", "p", "q"]) is FALLING
    assert known.map_for("wisdom", ["a"], "spread", ["q"]) is None
    assert known.map_for("wisdom", ["a", "b", "c"], "spread", ["q"]) is None
    assert known.map_for("courage", ["a", "b"], "spread", ["q"]) is None
    assert known.map_for("wisdom", ["a", "b"], "self", ["q"]) is None
    assert known.map_for("wisdom", ["a", "b"], "spread", ["q", "new"]) is None


def test_a_map_is_data() -> None:
    assert ConfidenceMap.model_validate_json(FALLING.model_dump_json()) == FALLING
