"""`stoic regrade` as a command: what a build server is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import regrade as command
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job

pytestmark = pytest.mark.usefixtures("in_project")
COMMANDS = typer.Typer()
COMMANDS.command()(command.regrade)


def test_where_the_earlier_verdicts_stand_for_want_of_money_no_earlier_file_does(
    workplace: Workplace, make_manifest: Callable[..., Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_dear(*_: object) -> None:
        raise BudgetReached("so the earlier ones stand")

    monkeypatch.setattr(command, "materialise", too_dear)
    workplace.evidence.begin(make_manifest())
    file = tmp_path / "kept.xml"
    file.write_text("<testsuites/>")
    options = ["--agent-version", "marcus@1.0.0", "--evaluation", "E1", "--junit", str(file)]
    with pytest.raises(BudgetReached):
        CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
    [error] = ET.parse(file).iter("error")
    assert error.get("message") == "so the earlier ones stand"


@pytest.mark.parametrize(("option", "key", "value"), [
    (["--fresh"], "fresh", True), (["--max-cost", "0.5"], "max_cost", 0.5), (["--original"], "original", True),
    (["--judge-samples", "3"], "samples", 3), (["--file", "chat.yml"], "job_files", ["chat.yml"]),
])  # fmt: skip
def test_whatever_is_asked_for_reaches_the_judging(
    workplace: Workplace, make_manifest: Callable[..., Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    option: list[str], key: str, value: object,
) -> None:  # fmt: skip
    told = list[Any]()

    def noted(*asked: Any) -> None:
        told.append(asked[-1])
        raise BudgetReached("enough")

    monkeypatch.setattr(command, "materialise", noted)
    target, task = {"user": "u", "chatbot": "marcus"}, {"task": "Talk", "acceptanceCriteria": "Somebody talks"}
    job = Job.model_validate({"name": "chat", "target": target, "tasks": [task]})
    (tmp_path / "chat.yml").write_text(job.model_dump_json(by_alias=True, include={"target", "tasks"}))
    workplace.evidence.begin(make_manifest(jobs=(job,)))
    asked = ["--agent-version", "marcus@1.0.0", "--evaluation", "E1", *option]
    with pytest.raises(BudgetReached):
        CliRunner().invoke(COMMANDS, asked, catch_exceptions=False)
    usual = {"samples": None, "fresh": False, "max_cost": None, "job_files": [], "original": False}
    assert told == [dict.fromkeys(("verdicts", "assertion_results"), usual | {key: value})]


JOBS = {"chat": "Somebody talks", "plan": "A plan is made"}


def job(name: str, criteria: str) -> Job:
    target, task = {"user": "u", "chatbot": "marcus"}, {"task": "Talk", "acceptanceCriteria": criteria}
    return Job.model_validate({"name": name, "target": target, "tasks": [task]})


NAMED = ["--file", "eval_jobs/chat.yml"]


@pytest.mark.parametrize(
    ("corrected", "edited", "options", "noted"),
    [
        ([], [], [], []),
        (["chat"], ["chat"], [], ["using corrected jobs from an earlier regrading: chat;"]),
        (["chat"], ["chat"], ["--original"], ["edited since the evaluation, edits not used: chat;"]),
        ([], ["chat", "plan"], [], ["edited since the evaluation, edits not used: chat, plan;"]),
        ([], ["chat", "plan"], NAMED, ["edited since the evaluation, edits not used: plan;"]),
        (["chat"], ["chat"], NAMED, []),
        (["plan"], ["plan"], NAMED, ["using corrected jobs from an earlier regrading: plan;"]),
        ([], ["chat"], ["--file", "elsewhere/chat.yml"], []),
        ([], [], ["--judge-samples", "3"], ["3 samples of one judge at temperature 0 are nearly the same"]),
    ],
)
def test_what_may_be_unintended_is_noted_and_what_was_asked_for_is_not(
    workplace: Workplace, make_manifest: Callable[..., Manifest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    corrected: list[str], edited: list[str], options: list[str], noted: list[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(command, "materialise", lambda *_: None)
    monkeypatch.setattr(command, "evaluation_outcome", lambda *_: None)
    monkeypatch.setattr(command, "finish", lambda *_: None)
    edits = {name: job(name, "Otherwise") for name in edited}
    jobs = [edits.get(name) or job(name, criteria) for name, criteria in JOBS.items()]
    for folder, kept in (("eval_jobs", jobs), ("elsewhere", [job("chat", "Corrected")])):
        (tmp_path / folder).mkdir()
        for each in kept:
            text = each.model_dump_json(by_alias=True, include={"target", "tasks"})
            (tmp_path / folder / f"{each.name}.yml").write_text(text)
    manifest = make_manifest(jobs=tuple(job(*each) for each in JOBS.items()))
    workplace.evidence.begin(manifest)
    if corrected:
        request = JudgingRequest(corrected=[edits[name] for name in corrected])
        EvaluationJudging(workplace, manifest, request).mark_rejudging()
    asked = ["--agent-version", "marcus@1.0.0", "--evaluation", "E1", *options]
    said = CliRunner().invoke(COMMANDS, asked, catch_exceptions=False).stderr.splitlines()
    assert len(said) == len(noted), said
    assert all(map(str.startswith, said, noted)), said


def test_each_gate_has_its_own_measure(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[Any]()
    monkeypatch.setattr(command, "materialise", lambda *_: None)
    monkeypatch.setattr(command, "evaluation_outcome", lambda *_: "outcome")
    monkeypatch.setattr(command, "finish", lambda *asked: told.extend(asked))
    workplace.evidence.begin(make_manifest())
    asked = ["--agent-version", "marcus@1.0.0", "--evaluation", "E1", "--fail-under", "0.9", "--min-passed", "0.5"]
    CliRunner().invoke(COMMANDS, asked, catch_exceptions=False)
    outcome, _, *gates = told
    assert (outcome, gates) == ("outcome", [False, 0.9, 0.5, None])


def test_a_comparison_that_no_longer_holds_is_named_with_the_command_that_renews_it(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged_again(*_: object) -> None:
        trial = {"trial_id": "t", "job": "chat", "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
        counts = {"failure_penalty": 0.0, "virtues_scored": 0, "virtues_not_exercised": 0, "failure_count": 0}
        workplace.warehouse.write("composite_scores", "marcus@1.0.0", "E1", [trial | counts | {"valid": True}])

    row = {
        "base": "marcus@1.0.0", "candidate": "marcus@1.1.0", "measure": "wisdom", "condition": "pooled",
        "gating": True, "jobs": 8, "delta": 0.05, "verdict": "regressed", "base_evaluation_id": "E1",
        "base_started_at": "2026-03-01T02:00:00Z", "offline": False, "notes": [],
    }  # fmt: skip
    workplace.warehouse.write("version_comparisons", "marcus@1.1.0", "E2", [row])
    monkeypatch.setattr(command, "materialise", judged_again)
    monkeypatch.setattr(command, "evaluation_outcome", lambda *_: None)
    monkeypatch.setattr(command, "finish", lambda *_: None)
    workplace.evidence.begin(make_manifest())
    asked = ["--agent-version", "marcus@1.0.0", "--evaluation", "E1"]
    said = CliRunner().invoke(COMMANDS, asked, catch_exceptions=False).stderr
    assert said.startswith("the stored comparison of marcus@1.1.0 (evaluation E2) no longer holds: ")
