"""Jobs by condition, and failed assertions."""

from collections.abc import Callable
from dataclasses import replace

from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.job_table import failed_assertions, job_rows
from stoic_assets.core.reports.trial_view import trial_views

Make = Callable[..., ReportData]


def test_the_worst_job_is_first_and_every_trial_is_linked_once(make_data: Make) -> None:
    data = make_data(trials=20)
    rows = job_rows(trial_views(data))
    assert len(rows) == 10
    means = [row.mean("overall") for row in rows]
    assert means == sorted(means)  # type: ignore[type-var]
    linked = [trial.row["trial_id"] for row in rows for trial in row.trials]
    assert sorted(linked) == sorted(row["trial_id"] for row in data.trials)


def test_an_invalid_trial_is_counted_and_left_out_of_the_means(make_data: Make) -> None:
    rows = {(row.job, row.condition): row for row in job_rows(trial_views(make_data(trials=8)))}
    row = rows["hard-proof", "supplied"]
    assert row.outcomes == [("evaluator_error", 1)]
    assert row.mean("overall") is None
    assert job_rows(trial_views(make_data(trials=8)))[-1] == row
    assert row.why_missing("timing").startswith("an invalid trial is not scored")


def test_a_mean_is_missing_for_the_reason_of_a_trial_that_counts(make_data: Make) -> None:
    row = max(job_rows(trial_views(make_data(trials=20))), key=lambda row: len(row.trials))
    valid = next(trial for trial in row.trials if trial.valid)
    invalid = next(trial for trial in trial_views(make_data(trials=20)) if not trial.valid)
    mixed = replace(row, trials=[invalid, valid])
    assert mixed.why_missing("timing") == valid.why_missing("timing") != invalid.why_missing("timing")


def test_equal_failures_of_a_job_stand_together(make_data: Make) -> None:
    data = make_data(trials=20)
    valid = {row["trial_id"] for row in data.composite_scores if row["valid"]}
    failed = failed_assertions(trial_views(data))
    assert len({entry.job for entry in failed}) == len(failed)
    assert sum(len(entry.trials) for entry in failed) == sum(
        row["passed"] is False and row["trial_id"] in valid for row in data.assertion_results
    )
    sizes = [len(entry.trials) for entry in failed]
    assert sizes == sorted(sizes, reverse=True)
