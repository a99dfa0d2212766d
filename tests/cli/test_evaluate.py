"""What `stoic eval` is asked for: what its stages and its gates are told."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from smallest_job import smallest_job
from typer.testing import CliRunner

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.beginning import Wanted, begin_or_resume
from stoic_assets.adapters.evaluation.specification import resolve
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import evaluate as command
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import ResumeRefused
from stoic_assets.core.stages import EVALUATION


def test_every_stage_is_told_the_ceiling_and_what_was_asked(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[Any]()
    monkeypatch.setattr(command, "materialise", lambda *asked: told.extend(asked))
    monkeypatch.setattr(command, "evaluation_of", lambda *_: None)
    request = EvaluationRequest(judge_samples=3, repeats=2)
    command.run_evaluation(workplace, Wanted("marcus@1.0.0", "E1", request), 4, 0.5)
    *_, stages, config = told
    conversing = config.pop("transcripts")
    assert stages == EVALUATION
    assert conversing.items() >= {"max_cost": 0.5, "at_once": 4, "repeats": 2, "judge_samples": 3}.items()
    judging = {"samples": 3, "max_cost": 0.5, "original": True}
    assert config == {"verdicts": judging, "assertion_results": judging}


async def reachable(*_: object) -> None: ...


@pytest.fixture
def run(workplace: Workplace, in_project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """In a project with one job: what the evaluation and its end were asked for, neither of which takes place."""
    told: dict[str, list[Any]] = {"run_evaluation": [], "finish": []}

    def noted(*asked: Any) -> str:
        told["run_evaluation"].extend(asked)
        return "manifest"

    for name, fake in {
        "check_reachable": reachable, "run_evaluation": noted,
        "evaluation_outcome": lambda *_: "outcome", "finish": lambda *asked: told["finish"].extend(asked),
    }.items():  # fmt: skip
        monkeypatch.setattr(command, name, fake)
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(smallest_job(tags=["x"], facts=["It is late."])))
    return told


COMMANDS = typer.Typer()
COMMANDS.command()(command.evaluate)


def test_each_gate_has_its_own_measure(run: dict[str, list[Any]], tmp_path: Path) -> None:
    options = ["--job", "chat", "--fail-under", "0.9", "--min-passed", "0.5", "--junit", "told.xml"]
    (tmp_path / "told.xml").write_text("of an earlier run")
    CliRunner().invoke(COMMANDS, [*options, "--dry-run"], catch_exceptions=False)
    assert (tmp_path / "told.xml").exists()
    with pytest.raises(StorageError, match="cannot be written"):
        CliRunner().invoke(COMMANDS, ["--dry-run", "--junit", "told.xml/none.xml"], catch_exceptions=False)
    CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
    assert not (tmp_path / "told.xml").exists(), "only `finish` writes it"
    outcome, _, *gates = run["finish"]
    assert (outcome, gates) == ("outcome", [False, 0.9, 0.5, Path("told.xml")])


def test_whatever_is_asked_for_reaches_the_evaluation(
    run: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoic_assets.cli.notes.unfinished_before", lambda *_: ["another was cut short"])
    options = {
        "job": "chat", "tag": "x", "model": "m2", "agent-version": "marcus@2", "agent-url": "http://a:1",
        "condition": "supplied", "repeats": "2", "judge-samples": "3", "max-conversations": "4", "max-cost": "0.5",
    }  # fmt: skip
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    noted = CliRunner().invoke(COMMANDS, words, catch_exceptions=False).stderr.splitlines()
    _, wanted, *asked = run["run_evaluation"]
    assert (wanted.agent_version, wanted.request, *asked) == (
        "marcus@2",
        EvaluationRequest(
            jobs=("chat",), tags=("x",), model="m2", agent_url="http://a:1", conditions="supplied", repeats=2,
            judge_samples=3,
        ),
        4, 0.5,
    )  # fmt: skip
    assert noted[0].startswith("3 samples of one judge at temperature 0 are nearly the same")
    assert noted[1:] == ["another was cut short", f"marcus@2: evaluation {wanted.evaluation_id}"]


def test_a_dry_run_refuses_to_resume_what_the_run_would_refuse(
    run: dict[str, list[Any]]
) -> None:
    CliRunner().invoke(COMMANDS, ["--job", "chat"], catch_exceptions=False)
    _, wanted, *_ = run["run_evaluation"]
    here = open_workplace()
    begin_or_resume(here, wanted, "r", resolve(here, wanted.request, wanted.agent_version))
    resumed = ["--resume", wanted.evaluation_id, "--dry-run"]
    assert CliRunner().invoke(COMMANDS, resumed, catch_exceptions=False).exit_code == 0
    with pytest.raises(ResumeRefused, match="repeats"):
        CliRunner().invoke(COMMANDS, [*resumed, "--repeats", "5"], catch_exceptions=False)


def test_an_address_with_a_secret_is_not_taken_from_an_option(
    run: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_API_KEY", "k-of-ours")
    for address in ("http://a:1/k-of-ours", "http://a:1/?code=k-of-theirs"):
        with pytest.raises(ConfigurationError, match="--agent-url contains a secret; set the address as AGENT_URL"):
            CliRunner().invoke(COMMANDS, ["--agent-url", address], catch_exceptions=False)
    assert run["run_evaluation"] == []
