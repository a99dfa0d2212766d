"""What a report says is written from what is stored, however little that is."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.evaluation import report
from stoic_assets.adapters.evaluation.report import report_data, write_report, write_weak_virtues
from stoic_assets.adapters.ratings.calibration_store import PLACE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.correction import Correction
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.reports.data import ReportData

Make = Callable[..., Manifest]


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
    assert ">Wisdom by gpt: rank correlation with people 0.10 (95\u00a0% interval −0.40 to 0.60) over 12 trials" in page
    assert "Scores that are not shown to agree with people's: wisdom." in write_weak_virtues(workplace, manifest).text


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
    assert "| Wisdom | 0.499 | – | 0.90 | 0.45 | 1 |" in write_weak_virtues(strict, manifest).text


@pytest.mark.parametrize("judge", ["offline", "gpt"])
def test_a_report_of_weak_virtues_warns_where_the_stand_in_judged_what_was_said_live(
    workplace: Workplace, evaluated: Make, judge: str
) -> None:
    manifest = evaluated("marcus@2", "c")
    key = (manifest.agent_version, manifest.evaluation_id)
    judged = {"trial_id": "t", "virtue": "wisdom", "judge_model": judge, "sample": 0}
    for table, rows in {"virtue_scores": [judged], "trial_virtues": [], "weak_virtues": []}.items():
        workplace.warehouse.write(table, *key, rows)
    written = write_weak_virtues(workplace, manifest)
    assert (OFFLINE_NOTE in written.text) == (judge == "offline")
    assert written.path == workplace.reports / "marcus@2" / "c.weak-virtues.md"
    assert written.path.read_text(encoding="utf-8") == f"# Weak virtues of `marcus@2`, evaluation c\n\n{written.text}"


@pytest.mark.parametrize("ended", [False, True])
def test_of_a_version_that_is_deleted_meanwhile_no_report_is_left(
    workplace: Workplace, evaluated: Make, monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    """Whether its deletion has begun or has ended when the report is written."""
    manifest = evaluated("marcus@2", "c")
    data = report_data(workplace, manifest)

    def deleting(*_: object) -> ReportData:
        workplace.evidence.begin_deletion("marcus@2")
        if ended:
            workplace.warehouse.delete("marcus@2")
            workplace.evidence.delete("marcus@2")
        return data

    monkeypatch.setattr(report, "report_data", deleting)
    with pytest.raises(ConfigurationError, match=r"^marcus@2 was deleted while its report was written$"):
        write_report(workplace, manifest)
    assert not (workplace.reports / "marcus@2").exists()


def test_releases_without_a_finished_and_conclusive_evaluation_are_named(
    workplace: Workplace, evaluated: Make
) -> None:
    found = {
        "marcus@1": [("finished", True), ("incomplete", False)], "marcus@2": [("finished", False)],
        "marcus@3": [("incomplete", True)], "marcus@4": [("conversed", None)],
    }  # fmt: skip
    for number, (version, held) in enumerate(found.items()):
        for place, (status, conclusive) in enumerate(held):
            manifest = evaluated(version, f"e{place}")
            key, started_at = (version, f"e{place}"), f"2026-03-0{9 - number}T00:00:00+00:00"
            workplace.warehouse.write("evaluations", *key, [evaluation_head(started_at=started_at, status=status)])
            scores = {"agent": "marcus", "planned_trials": 1, "scored_trials": 1, "invalid_trials": 0, "jobs": 1}
            rows = [] if conclusive is None else [{**scores, "conclusive": conclusive}]
            workplace.warehouse.write("evaluation_scores", *key, rows)
    assert report_data(workplace, manifest).without_verdict == ["marcus@4", "marcus@3", "marcus@2"]
