"""Jobs by condition, and failed assertions."""

from dataclasses import replace

from rendered_page import Make

from stoic_assets.core.reports.job_table import by_job, failed_assertions, job_rows
from stoic_assets.core.reports.trial_view import trial_views


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


def test_equal_failures_of_all_jobs_stand_together(make_data: Make) -> None:
    data = make_data(trials=20)
    valid = {row["trial_id"] for row in data.composite_scores if row["valid"]}
    same = {"assertion": "books", "text": "RETURN 1", "weight": 2.0, "expected": "1", "actual": "0", "error": None}
    results = [row | same | {"passed": False} for row in data.assertion_results]
    results[-1] |= {"actual": "2", "trial_id": results[0]["trial_id"]}
    first, other = failed_assertions(trial_views(replace(data, assertion_results=results)))
    assert len(first.trials) == sum(row["trial_id"] in valid for row in results[:-1])
    assert len(by_job(first.trials)) > 1
    assert (first.name, first.failed, first.checked) == ("books", len(first.trials) + 1, len(first.trials) + 1)
    assert (other.row["actual"], len(other.trials), other.failed) == ("2", 1, first.failed)


def test_an_assertion_without_a_name_is_known_by_its_text(make_data: Make) -> None:
    data = make_data(trials=4)
    results = [row | {"assertion": str(n), "text": "RETURN 1"} for n, row in enumerate(data.assertion_results)]
    failed = failed_assertions(trial_views(replace(data, assertion_results=results)))
    assert {entry.name for entry in failed} == {"RETURN 1"}
