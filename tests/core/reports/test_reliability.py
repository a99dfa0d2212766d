"""pass^k on the page."""

from typing import Any

from stoic_assets.core.reports.reliability import reliability


def cell(job: str, passed: int, estimates: dict[int, float | None], **more: Any) -> list[dict[str, Any]]:
    """Rows of `job_reliability` of one job with three trials, one for each k."""
    row = {"job": job, "scenario": None, "condition": "withheld", "trials": 3, "passed": passed, "invalid_trials": 1}
    return [{**row, "k": k, "estimate": estimate, **more} for k, estimate in estimates.items()]


def test_nothing_measured_nothing_told() -> None:
    assert reliability(()) is None


def test_trials_are_counted_once_whatever_the_number_of_ks() -> None:
    found = reliability(cell("a", 3, {1: 1.0, 2: 1.0}) + cell("b", 1, {1: 1 / 3, 2: 0.0}))
    assert found
    assert (found.trials, found.passed, found.invalid) == (6, 4, 2)
    powers = [(power.k, round(power.estimate or 0, 2), power.jobs) for power in found.powers]
    assert powers == [(1, 0.67, 2), (2, 0.5, 2)]


def test_the_least_reliable_job_comes_first_with_all_its_estimates() -> None:
    found = reliability(cell("a", 3, {1: 1.0}) + cell("b", 1, {1: 1 / 3, 4: None}))
    assert found
    assert [(each.row["job"], each.estimates) for each in found.cells] == [("b", {1: 1 / 3, 4: None}), ("a", {1: 1.0})]
    assert "not estimable" in (found.powers[1].why or "")


def test_scenarios_are_cells_of_their_own() -> None:
    found = reliability(cell("a", 3, {1: 1.0}, scenario="x") + cell("a", 1, {1: 0.3}, scenario="y"))
    assert found
    assert [each.row["scenario"] for each in found.cells] == ["y", "x"]
