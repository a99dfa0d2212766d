import pytest

from stoic_assets.core.comparison.measures import GATING, JUDGED, MEASURES, PASSED, minimal_difference
from stoic_assets.core.configuration.settings import MinimalDifferences
from stoic_assets.core.virtues import VIRTUES


def test_nine_measures_decide() -> None:
    assert list(GATING) == [*VIRTUES, "task", "assertion", "timing", "overall"]
    assert set(MEASURES) - set(GATING) == {PASSED}


def test_what_a_judge_cannot_touch_can_be_decided_without_it() -> None:
    assert set(MEASURES) - JUDGED == {"assertion", "timing"}


@pytest.mark.parametrize(
    ("measure", "delta"),
    [*((virtue, 0.01) for virtue in VIRTUES), ("overall", 0.02), ("timing", 0.03), ("task", 0.04), ("assertion", 0.05),
     (PASSED, 0.05)],
)  # fmt: skip
def test_each_measure_has_its_own_minimal_difference(measure: str, delta: float) -> None:
    given = MinimalDifferences(virtues=0.01, overall=0.02, timing=0.03, task=0.04, assertion=0.05)
    assert minimal_difference(measure, given) == delta
