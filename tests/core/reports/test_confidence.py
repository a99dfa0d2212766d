"""Why the confidences of a report are the judges' own."""

from collections.abc import Callable
from dataclasses import replace

from stoic_assets.core.reports.confidence import calibrated_share, why_uncalibrated
from stoic_assets.core.reports.data import ReportData

Make = Callable[..., ReportData]
FEW = "not calibrated: 12 trials have one verdict and 3 raters, 30 are needed"


def test_each_reason_is_told_once(make_data: Make) -> None:
    data = make_data()
    assert why_uncalibrated(data) == ["not calibrated: people rated no verdict of this judge"]
    judges = ",".join(sorted({row["judge_model"] for row in data.virtue_scores}))
    virtues = [row | {"confidence_source": "self"} for row in data.trial_virtues]
    known = [
        {"virtue": row["virtue"], "judge_model": judges, "measure": "map_self", "why": FEW} for row in virtues
    ]
    assert why_uncalibrated(replace(data, trial_virtues=virtues, judge_calibration=known)) == [FEW]


def test_what_is_calibrated_needs_no_reason(make_data: Make) -> None:
    data = make_data()
    virtues = [row | {"confidence_source": "calibrated"} for row in data.trial_virtues]
    assert why_uncalibrated(replace(data, trial_virtues=virtues)) == []
    assert (calibrated_share(virtues), calibrated_share([])) == (1.0, 0.0)
