"""How jobs fared in both versions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from rendered_page import Make

from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.reports.data import EvaluationRows, ReportData
from stoic_assets.core.reports.job_changes import JobChange, Measure, deltas_of, job_changes, most_changed
from stoic_assets.core.reports.trial_view import trial_views
from stoic_assets.core.reports.version_comparison import differences

DELTAS: dict[Measure, float] = {"overall": 0.05, "virtue_overall": 0.05}


def changes(data: ReportData) -> list[JobChange]:
    """The changes between the versions of a report."""
    found = differences(data)
    assert found
    assert data.base
    return job_changes(trial_views(data.base), trial_views(data), found.flips)


def one_job(
    totals: Sequence[float | None], passed: Sequence[bool | None], virtues: Sequence[float | None] = (), **place: Any
) -> dict[str, Any]:
    """Tables of scored trials of one job, one for each total."""
    job = {"job": "j", "condition": "withheld", "outcome": "signed_off", **place}
    rows = [{"trial_id": f"t{number}", "repeat": number, **job} for number in range(len(totals))]
    scores = [
        {**row, "valid": True, "overall": total, "passed": held, "virtue_overall": virtue}
        for row, total, held, virtue in zip(rows, totals, passed, virtues or [None] * len(rows), strict=True)
    ]
    return {"trials": rows, "composite_scores": scores}


def test_jobs_stand_by_their_loss_and_carry_their_flips(make_data: Make) -> None:
    found = changes(make_data())
    sizes = [change.change for change in found]
    assert None not in sizes
    assert sizes == sorted(sizes)  # type: ignore[type-var]
    assert found[0].flips
    assert {(flip.job, flip.condition) for flip in found[0].flips} == {(found[0].job, found[0].condition)}


def test_invalid_trials_and_jobs_of_one_version_are_left_out(make_data: Make) -> None:
    data = make_data()
    fewer = [row for row in data.trials if row["job"] != "reminders"]
    found = changes(replace(data, trials=fewer))
    assert "reminders" not in {change.job for change in found}
    assert sum(len(change.this) for change in found) == sum(
        row["valid"] and row["job"] != "reminders" for row in data.composite_scores
    )


def test_the_same_total_summed_otherwise_is_no_change() -> None:
    base, this = one_job([0.1, 0.2, 0.3], [True] * 3), one_job([0.3, 0.2, 0.1], [True] * 3)
    [found] = changes(ReportData({}, **this, base=EvaluationRows({}, **base)))
    assert found.change
    assert most_changed([found], {"overall": 0.0, "virtue_overall": 0.0}) == ([], [])


def test_scenarios_of_a_job_are_apart() -> None:
    base, this = (one_job([0.9], [True], scenario=name) for name in ("a", "b"))
    assert not changes(ReportData({}, **this, base=EvaluationRows({}, **base)))
    assert [each.job for each in changes(ReportData({}, **base, base=EvaluationRows({}, **base)))] == ["j~a"]


@pytest.mark.parametrize(
    ("before", "after", "flipped"),
    [([True], [False], True), ([True], [True, True], False), ([True, False], [True], True)],
)
def test_a_job_flips_when_another_share_of_its_trials_passes(
    before: list[bool], after: list[bool], flipped: bool
) -> None:
    base, this = (one_job([0.5] * len(passed), passed) for passed in (before, after))
    [found] = changes(ReportData({}, **this, base=EvaluationRows({}, **base)))
    assert found.flipped is flipped
    assert found.change == 0


@pytest.mark.parametrize(("hashes", "reworked"), [(("a", "a"), False), (("a", "b"), True)])
def test_a_job_that_was_changed_says_so(hashes: tuple[str, str], reworked: bool) -> None:
    base, this = (one_job([None], [True], job_hash=name) for name in hashes)
    [found] = changes(ReportData({}, **this, base=EvaluationRows({}, **base)))
    assert found.reworked is reworked
    assert found.change is None


def test_what_changed_most_are_losses_before_gains(make_data: Make) -> None:
    data = make_data()
    assert data.base
    worse = changes(data)
    mirrored = replace(data, trials=data.base.trials, composite_scores=data.base.composite_scores, base=replace(
        data.base, trials=data.trials, composite_scores=data.composite_scores
    ))  # fmt: skip
    assert most_changed(worse, DELTAS)[0][:5] == worse[:5]
    assert all((change.change or 0) > 0 for change in most_changed(changes(mirrored), DELTAS)[0])
    assert most_changed([], DELTAS) == ([], [])


@pytest.mark.parametrize(
    ("totals", "passed", "virtues", "told"),
    [
        ((0.9, 0.8), (None, None), (0.7, 0.4), ("virtue_overall", -0.3)),
        ((0.9, 0.9), (True, True), (0.7, 0.8), ("virtue_overall", 0.1)),
        ((0.9, 0.8), (True, True), (0.7, 0.4), ("overall", -0.1)),
        ((0.9, 0.9), (True, False), (0.7, 0.4), ("overall", 0.0)),
        ((0.9, 0.8), (None, None), (0.7, 0.7), ("overall", -0.1)),
        ((0.9, 0.0), (None, None), (0.7, None), ("overall", -0.9)),
        ((None, None), (None, None), (0.7, 0.4), ("virtue_overall", -0.3)),
    ],
)
def test_virtues_tell_the_change_where_the_total_cannot(
    totals: tuple[float | None, ...], passed: tuple[bool | None, ...], virtues: tuple[float | None, ...],
    told: tuple[str, float],
) -> None:  # fmt: skip
    base, this = (one_job([totals[n]], [passed[n]], [virtues[n]]) for n in (0, 1))
    [found] = changes(ReportData({}, **this, base=EvaluationRows({}, **base)))
    assert (found.measure, found.change) == (told[0], pytest.approx(told[1]))


def test_losses_and_gains_of_virtues_are_among_what_changed_most() -> None:
    sizes = [-0.4, -0.02, 0.0, 0.05, 0.3]

    def tables(share: float) -> dict[str, Any]:
        jobs = [one_job([1.0], [None], [0.5 + share * size], job=f"j{n}") for n, size in enumerate(sizes)]
        return {name: [row for job in jobs for row in job[name]] for name in ("trials", "composite_scores")}

    def own(data: dict[str, Any]) -> dict[str, Any]:
        return {name: [{**row, "trial_id": row["job"]} for row in rows] for name, rows in data.items()}

    report = ReportData({}, **own(tables(1)), base=EvaluationRows({}, **own(tables(0))))
    found, _ = most_changed(changes(report), DELTAS)
    assert [each.job for each in found] == ["j0", "j4", "j3"]


def changed_job(change: float, flips: Sequence[PairedAssertion] = ()) -> JobChange:
    """A job that is named after the change of its total from 0.5."""
    before, after = (trial_views(ReportData({}, **one_job([total], [None]))) for total in (0.5, 0.5 + change))
    return JobChange(f"{change:+g}", "withheld", before, after, [*flips])


def test_a_change_below_delta_is_named_only_where_assertions_changed(make_data: Make) -> None:
    flips = changes(make_data())[0].flips[:1]
    found = [changed_job(-0.05), changed_job(-0.04), changed_job(-0.03, flips), changed_job(0.01, flips)]
    assert [each.job for each in most_changed([*found, changed_job(0.04)], DELTAS)[0]] == ["-0.05", "-0.03", "+0.01"]


def test_the_greatest_changes_are_shown_however_many_of_them_are_losses() -> None:
    losses, gains = (-0.45, -0.4, -0.35, -0.3, -0.25, -0.2, -0.1), (0.06, 0.1, 0.22)
    greatest, others = most_changed([changed_job(size) for size in (*losses, *gains)], DELTAS)
    assert [each.job for each in greatest] == ["-0.45", "-0.4", "-0.35", "-0.3", "-0.25", "-0.2", "-0.1", "+0.22"]
    assert [(each.job, each.worse) for each in others] == [("+0.1", False), ("+0.06", False)]


def test_a_job_with_the_same_mean_is_worse_by_its_assertions(make_data: Make) -> None:
    flips = changes(make_data())[0].flips[:1]
    assert flips[0].change < 0
    greatest, others = most_changed([changed_job(0.0, flips), changed_job(0.0)], DELTAS)
    assert greatest == []
    assert [each.worse for each in others] == [True]


def test_the_virtues_of_a_job_matter_from_the_smallest_delta_of_a_virtue_on() -> None:
    rows = [
        {"measure": name, "gating": name != "passed", "delta": delta}
        for name, delta in {"overall": 0.08, "wisdom": 0.05, "justice": 0.03, "passed": 0.01}.items()
    ]
    assert deltas_of(rows) == {"overall": 0.08, "virtue_overall": 0.03}
    assert deltas_of([]) == {"overall": 0.0, "virtue_overall": 0.0}
