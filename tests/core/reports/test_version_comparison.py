"""What a page shows of the differences from the base besides the verdict."""


from rendered_page import Make

from stoic_assets.core.reports.trend_chart import versions_before
from stoic_assets.core.reports.version_comparison import differences


def test_no_base_no_differences(make_data: Make) -> None:
    assert differences(make_data(compared=False)) is None


def test_earlier_versions_stand_the_newest_first() -> None:
    trends = [{"agent_version": f"marcus@{place}", "place": place} for place in (3, 1, 2)]
    assert versions_before("marcus@3", trends) == ["marcus@2", "marcus@1"]
    assert versions_before("marcus@1", trends) == []
    assert versions_before("marcus@new", trends) == ["marcus@3", "marcus@2", "marcus@1"]


def test_virtues_of_the_base_are_at_hand(make_data: Make) -> None:
    data = make_data()
    found = differences(data)
    assert found is not None
    assert data.base
    assert found.virtues == {row["virtue"]: row["score"] for row in data.base.evaluation_virtues}
    assert found.virtues["wisdom"] is not None


def test_assertions_that_flipped_are_named_with_the_greatest_loss_first(make_data: Make) -> None:
    found = differences(make_data())
    assert found is not None
    losses = [flip.change for flip in found.flips]
    assert losses == sorted(losses)
    assert losses[0] == -1.0
    assert {"landlord" in flip.text for flip in found.flips} == {True}
