"""Which base a report shows, and that it is written from what is stored, however little that is."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from stoic_assets.adapters.evaluation.report import comparable_version, report_data, write_report, write_weak_virtues
from stoic_assets.adapters.ratings.calibration_store import PLACE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.jobs.correction import Correction
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE

Make = Callable[..., Manifest]
START = datetime(2026, 3, 1, 2, tzinfo=UTC)


@pytest.fixture
def evaluated(workplace: Workplace, make_manifest: Make) -> Make:
    """Stores an evaluation in which one virtue was scored and the agent said one thing."""

    def make(version: str, evaluation_id: str, parents: tuple[str, ...] = ()) -> Manifest:
        started_at = f"2026-03-01T0{len(evaluation_id)}:00:00+00:00"
        manifest = make_manifest(
            evaluation_id=evaluation_id, agent_version=version, started_at=started_at, parents=parents
        )
        workplace.evidence.begin(manifest)
        tables: dict[str, dict[str, Any]] = {
            "evaluations": {
                "agent": "marcus", "started_at": START, "status": "finished", "offline": False, "planned_trials": 1,
            },
            "evaluation_virtues": {
                "agent": "marcus", "virtue": "wisdom", "score": 0.5, "trials": 1, "not_exercised": 0,
            },
            "turns": {"trial_id": "t", "turn": 1, "speaker": "agent", "content": f"I am {evaluation_id}."},
        }  # fmt: skip
        for table, row in tables.items():
            workplace.warehouse.write(table, version, evaluation_id, [row])
        return manifest

    return make


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
    compared(workplace, manifest, ("marcus@0", "z"), ("marcus@1", "a"))
    data = report_data(workplace, manifest)
    assert [row["base"] for row in data.version_comparisons] == ["marcus@1"]
    assert data.base
    assert data.base.evaluation["evaluation_id"] == "a"


@pytest.mark.parametrize("corrected", [False, True])
def test_what_the_jobs_asked_comes_from_the_manifest_without_secrets(
    workplace: Workplace, make_manifest: Make, corrected: bool
) -> None:
    asked = {
        "name": "j", "target": {"user": "u", "chatbot": "marcus"}, "facts": ["The code is sk-verysecret."],
        "tasks": [{"task": "Ask.", "acceptanceCriteria": "It answers."}],
        "seeds": [{"text": "I know sk-verysecret."}], "setups": [{"cypher": "CREATE (:Code {is: 'sk-verysecret'})"}],
    }  # fmt: skip
    job = Job.model_validate(asked)
    manifest = make_manifest(jobs=(job,), job_hashes={"j": "asks:with-secrets"})
    key = (manifest.agent_version, manifest.evaluation_id)
    trial = {
        "trial_id": "t", "job": "j", "holdout": False, "condition": "withheld", "repeat": 1, "outcome": "signed_off",
        "failure_count": 0, "planned_tasks": 1, "turns": 0,
        "job_hash": "asks:other" if corrected else "asks:with-secrets",
    }  # fmt: skip
    workplace.warehouse.write("trials", *key, [trial])
    workplace.redactor.learn(["sk-verysecret"])
    [found] = report_data(workplace, manifest).jobs
    assert (found["name"], found["facts"], found["scenarios"]) == ("j", ["The code is [redacted]."], [])
    assert found["tasks"][0]["acceptance_criteria"] == "It answers."
    assert (found["told"], found["setups"]) == (["I know [redacted]."], ["CREATE (:Code {is: '[redacted]'})"])
    assert found["corrected"] is corrected


@pytest.mark.parametrize(("judged", "kept"), [("asks:corrected", True), ("asks:held", False), ("asks:other", False)])
def test_the_criteria_that_are_shown_are_those_that_the_trials_were_judged_by(
    workplace: Workplace, make_manifest: Make, judged: str, kept: bool
) -> None:
    held, corrected = (
        Job.model_validate({"name": "j", "target": {"user": "u", "chatbot": "marcus"}, "tasks": [task]})
        for task in ({"task": "Ask.", "acceptanceCriteria": criteria} for criteria in ("It answers.", "It is kind."))
    )
    manifest = make_manifest(jobs=(held,), job_hashes={"j": "asks:held"})
    trial = {
        "trial_id": "t", "job": "j", "holdout": False, "condition": "withheld", "repeat": 1, "outcome": "signed_off",
        "failure_count": 0, "planned_tasks": 1, "turns": 0, "job_hash": judged,
    }  # fmt: skip
    workplace.warehouse.write("trials", manifest.agent_version, manifest.evaluation_id, [trial])
    workplace.evidence.correct(manifest, Correction(jobs=(corrected,), job_hashes={"j": "asks:corrected"}))
    [found] = report_data(workplace, manifest).jobs
    assert found["tasks"][0]["acceptance_criteria"] == ("It is kind." if kept else "It answers.")
    assert (found["corrected"], found["kept"]) == (judged != "asks:held", kept)


def test_a_first_release_has_no_base(workplace: Workplace, evaluated: Make) -> None:
    assert report_data(workplace, evaluated("marcus@1", "a")).base is None


@pytest.mark.parametrize(
    ("parents", "status", "why"),
    [
        ((), "finished", None),
        (("marcus@0",), "finished", "marcus@0: it was never evaluated"),
        (("marcus@1",), "incomplete", "is incomplete; continue with `stoic eval"),
        (("marcus@1",), "finished", "marcus@1 (evaluation a) is not judged yet"),
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


def test_what_is_known_of_the_judges_says_why_a_confidence_is_their_own(workplace: Workplace, evaluated: Make) -> None:
    manifest = evaluated("marcus@2", "c")
    key = (manifest.agent_version, manifest.evaluation_id)
    scored = {"trial_id": "t", "virtue": "wisdom", "score": 0.5, "confidence": 0.8, "confidence_source": "self"}
    tables = {
        "virtue_scores": scored | {"judge_model": "gpt", "sample": 0, "exercised": True},
        "trial_virtues": scored | {"verdicts": 1, "failed": 0, "exercised": True},
    }
    for table, row in tables.items():
        workplace.warehouse.write(table, *key, [row])
    known = {"virtue": "wisdom", "judge_model": "gpt", "items": 12, "raters": 2}
    figures = {
        "map_self": {"why": "not calibrated: 12 trials are few"},
        "spearman": {"estimate": 0.1, "low": -0.4, "high": 0.6}, "alpha_people": {"estimate": 0.8},
    }  # fmt: skip
    rows = [known | {"measure": measure} | figure for measure, figure in figures.items()]
    workplace.warehouse.write("judge_calibration", *PLACE, rows)
    workplace.warehouse.write("weak_virtues", *key, [])
    page = write_report(workplace, manifest).read_text(encoding="utf-8")
    assert ">Not calibrated: 12 trials are few.<" in page
    assert ">Wisdom by gpt: rank correlation with people 0.10 (95\u00a0% −0.40 to 0.60) over 12 trials, raters" in page
    assert "Scores that are not shown to agree with people's: wisdom." in write_weak_virtues(workplace, manifest)[1]


def test_a_score_that_is_weak_by_the_settings_is_seen_to_be(workplace: Workplace, evaluated: Make) -> None:
    manifest = evaluated("marcus@2", "c")
    key = (manifest.agent_version, manifest.evaluation_id)
    low = {"virtue": "wisdom", "score": 0.499, "confidence": 0.9, "trials": 1}
    tables: dict[str, list[dict[str, Any]]] = {
        "evaluation_virtues": [low | {"agent": "marcus", "not_exercised": 0}],
        "weak_virtues": [low | {"severity": 0.45, "suggestions": []}], "virtue_scores": [], "trial_virtues": [],
    }  # fmt: skip
    for table, rows in tables.items():
        workplace.warehouse.write(table, *key, rows)
    weakness = workplace.settings.weakness.model_copy(update={"score_below": 0.5})
    strict = replace(workplace, settings=workplace.settings.model_copy(update={"weakness": weakness}))
    page = write_report(strict, manifest).read_text(encoding="utf-8")
    assert re.findall("0.499</[a-z]+>", page) == ["0.499</text>", "0.499</td>", "0.499</span>"]
    assert "| Wisdom | 0.499 | 0.90 | 0.45 | 1 |" in write_weak_virtues(strict, manifest)[1]


@pytest.mark.parametrize("judge", ["offline", "gpt"])
def test_a_report_of_weak_virtues_warns_where_the_stand_in_judged_what_was_said_live(
    workplace: Workplace, evaluated: Make, judge: str
) -> None:
    manifest = evaluated("marcus@2", "c")
    key = (manifest.agent_version, manifest.evaluation_id)
    judged = {"trial_id": "t", "virtue": "wisdom", "judge_model": judge, "sample": 0}
    for table, rows in {"virtue_scores": [judged], "trial_virtues": [], "weak_virtues": []}.items():
        workplace.warehouse.write(table, *key, rows)
    path, text = write_weak_virtues(workplace, manifest)
    assert (OFFLINE_NOTE in text) == (judge == "offline")
    assert path == workplace.reports / "marcus@2" / "c.weak-virtues.md"
    assert path.read_text(encoding="utf-8") == f"# Weak virtues of marcus@2, evaluation c\n\n{text}"


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
