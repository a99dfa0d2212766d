import pytest

from stoic_assets.core.evaluation.next_command import way_to_finish


@pytest.mark.parametrize(
    ("status", "at_ceiling", "way"),
    [
        ("conversed", False, "`stoic eval --agent-version m --resume e`"),
        ("incomplete", False, "`stoic eval --agent-version m --resume e` and a higher --max-cost"),
        ("regrading", False, "`stoic regrade --agent-version m --evaluation e` (same options)"),
        ("regrading", True, "`stoic regrade --agent-version m --evaluation e` (same options) and a higher --max-cost"),
    ],
)
def test_what_met_its_cost_ceiling_is_finished_with_a_higher_one(status: str, at_ceiling: bool, way: str) -> None:
    assert way_to_finish("m", "e", status, at_ceiling) == way
