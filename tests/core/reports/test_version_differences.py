"""Plain differences between two versions."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.trend_chart import versions_before
from stoic_assets.core.reports.version_differences import differences

Make = Callable[..., ReportData]


def test_no_base_no_differences(make_data: Make) -> None:
    assert differences(make_data(compared=False)) is None


def test_earlier_versions_stand_the_newest_first() -> None:
    trends = [{"agent_version": f"marcus@{place}", "place": place} for place in (3, 1, 2)]
    assert versions_before("marcus@3", trends) == ["marcus@2", "marcus@1"]
    assert versions_before("marcus@1", trends) == []
    assert versions_before("marcus@new", trends) == ["marcus@3", "marcus@2", "marcus@1"]


def test_measures_and_virtues_are_set_side_by_side(make_data: Make) -> None:
    found = differences(make_data())
    assert found is not None
    changes = {row.measure: row.change for row in found.measures}
    assert changes["wisdom"] == pytest.approx(-0.08)
    assert changes["justice"] is None
    assert changes["assertion"] is not None
    assert changes["assertion"] < -0.3
    assert next(iter(changes)) == "overall"


def test_assertions_that_flipped_are_named_with_the_greatest_loss_first(make_data: Make) -> None:
    found = differences(make_data())
    assert found is not None
    losses = [flip.change for flip in found.flips]
    assert losses == sorted(losses)
    assert losses[0] == -1.0
    assert {"landlord" in flip.text for flip in found.flips} == {True}


def test_jobs_that_only_one_version_ran_are_named(make_data: Make) -> None:
    data = make_data()
    fewer = [row for row in data.composite_scores if row["job"] != "reminders"]
    more = [row | {"job": job} for row in fewer[:1] for job in ("new-10", "new-9")]
    found = differences(replace(data, composite_scores=fewer + more))
    assert found is not None
    assert (found.only_base, found.only_this) == (["reminders"], ["new-9", "new-10"])
