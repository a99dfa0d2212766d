"""Which base a report shows, and what it says where there is none."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from stoic_assets.adapters.evaluation.release_comparison import comparable_version
from stoic_assets.adapters.evaluation.report import report_data, write_report
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest

Make = Callable[..., Manifest]
START = datetime(2026, 3, 1, 2, tzinfo=UTC)


def compared(workplace: Workplace, manifest: Manifest, *bases: tuple[str, str]) -> None:
    """Stores a row for each base with which the evaluation was compared."""
    rows = [
        {
            "base": base, "candidate": manifest.agent_version, "measure": "wisdom", "condition": "pooled",
            "gating": True, "jobs": 8, "delta": 0.05, "verdict": "unchanged", "base_evaluation_id": evaluation_id,
            "base_started_at": START, "offline": False, "notes": [],
        }
        for base, evaluation_id in bases
    ]  # fmt: skip
    workplace.warehouse.write("version_comparisons", manifest.agent_version, manifest.evaluation_id, rows)


@pytest.mark.parametrize("stored", [False, True])
def test_what_was_not_compared_has_no_base(workplace: Workplace, evaluated: Make, stored: bool) -> None:
    evaluated("marcus@1", "a")
    manifest = evaluated("marcus@2", "c", ("marcus@0", "marcus@1"))
    if stored:
        compared(workplace, manifest)
    data = report_data(workplace, manifest)
    assert (data.version_comparisons, data.base) == ([], None)


def test_the_evaluation_that_it_was_compared_with_is_the_base(workplace: Workplace, evaluated: Make) -> None:
    for evaluation_id in ("a", "bb"):
        evaluated("marcus@1", evaluation_id)
    manifest = evaluated("marcus@2", "c", ("marcus@1",))
    compared(workplace, manifest, ("marcus@1", "a"))
    data = report_data(workplace, manifest)
    assert [row["base"] for row in data.version_comparisons] == ["marcus@1"]
    assert data.base
    assert data.base.evaluation["evaluation_id"] == "a"


def test_a_first_release_has_no_base(workplace: Workplace, evaluated: Make) -> None:
    assert report_data(workplace, evaluated("marcus@1", "a")).base is None


def test_a_report_knows_whether_fitness_updates_are_sent(workplace: Workplace, evaluated: Make) -> None:
    manifest = evaluated("marcus@1", "a")
    served = replace(workplace, env={**workplace.env, "EVOLUTION_URL": "http://127.0.0.1:1"})
    assert [report_data(each, manifest).fitness_is_sent for each in (workplace, served)] == [False, True]


@pytest.mark.parametrize(
    ("parents", "status", "why"),
    [
        ((), "finished", None),
        (("marcus@0",), "finished", "marcus@0: it was never evaluated"),
        (("marcus@1",), "incomplete", "is incomplete; continue with `stoic eval"),
        (("marcus@1",), "regrading", "marcus@1 (evaluation a) is not finished (regrading); continue with"),
    ],
)
def test_why_a_version_was_not_compared_with_its_base_is_what_a_comparison_says(
    workplace: Workplace, evaluated: Make, parents: tuple[str, ...], status: str, why: str | None
) -> None:
    evaluated("marcus@1", "a")
    head = workplace.warehouse.read("evaluations", "marcus@1", "a")
    workplace.warehouse.write("evaluations", "marcus@1", "a", [row | {"status": status} for row in head])
    manifest = evaluated("marcus@2", "bb", parents)
    found = report_data(workplace, manifest).uncompared
    assert found is None if why is None else why in (found or "")
    compared(workplace, manifest, ("marcus@1", "a"))
    assert report_data(workplace, manifest).uncompared is None


def test_what_can_be_compared_by_now_names_the_command(workplace: Workplace, evaluated: Make) -> None:
    evaluated("marcus@1", "a")
    manifest = evaluated("marcus@2", "bb", ("marcus@1",))
    trial = {"trial_id": "t", "job": "j", "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
    score = {"valid": True, "failure_penalty": 0.0, "virtues_scored": 1, "virtues_not_exercised": 0}
    held = {"job_hash": "asks:j", "failure_count": 0}
    tables: dict[str, list[dict[str, Any]]] = {
        "trials": [trial | held | {"holdout": False, "planned_tasks": 0, "turns": 1}],
        "virtue_scores": [{"trial_id": "t", "virtue": "wisdom", "judge_model": "judge", "sample": 0, "score": 0.5}],
        "composite_scores": [trial | score | {"failure_count": 0}],
        "job_measures": [],
    }  # fmt: skip
    for version, evaluation_id in (("marcus@1", "a"), ("marcus@2", "bb")):
        head = workplace.warehouse.read("evaluations", version, evaluation_id)
        counted = [row | {"scored_trials": 1, "invalid_trials": 0} for row in head]
        for table, rows in (tables | {"evaluations": counted}).items():
            workplace.warehouse.write(table, version, evaluation_id, rows)
    found = report_data(workplace, manifest).uncompared
    assert (found or "").endswith("; `stoic compare marcus@1 marcus@2` compares the two, job by job"), found


def test_a_report_is_written_when_the_base_is_no_longer_stored(workplace: Workplace, evaluated: Make) -> None:
    manifest = evaluated("marcus@2", "c")
    compared(workplace, manifest, ("marcus@1", "gone"))
    assert write_report(workplace, manifest).exists()
    data = report_data(workplace, manifest)
    assert data.base
    assert data.base.evaluation == {"agent_version": "marcus@1", "evaluation_id": "gone"}


def test_a_report_without_a_base_names_an_earlier_version_only_if_they_share_a_job(
    workplace: Workplace, make_manifest: Make
) -> None:
    trial = {
        "trial_id": "t", "condition": "withheld", "repeat": 1, "outcome": "signed_off", "failure_count": 0,
        "holdout": False, "planned_tasks": 0, "turns": 1,
    }  # fmt: skip
    manifest = make_manifest(agent_version="marcus@4", job_hashes={"chat": "asks:1", "plan": "asks:2"})
    for version, job, content in [("1", "chat", "asks:1"), ("2", "plan", "asks:3"), ("3", "walk", "asks:1")]:
        row = trial | {"job": job, "job_hash": content}
        workplace.warehouse.write("trials", f"marcus@{version}", "e", [row])
    trends = [{"agent_version": f"marcus@{place}", "place": place} for place in (1, 2, 3, 4)]
    assert comparable_version(workplace, manifest, trends) == "marcus@1"
    assert comparable_version(workplace, manifest, trends[1:]) is None
