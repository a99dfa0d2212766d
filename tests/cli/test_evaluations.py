"""`stoic list`: what was finished, and what was cut short."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import evaluations, export, report
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, charged
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE

COMMANDS = typer.Typer()
COMMANDS.command()(evaluations.list_evaluations)
FINISHED, CUT_SHORT = "2026", "2027"


@pytest.fixture
def listed(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What the command prints."""
    monkeypatch.setattr(evaluations, "open_workplace", lambda to_read: workplace)
    return lambda *options: CliRunner().invoke(COMMANDS, options, catch_exceptions=False).stdout


@pytest.fixture
def told(listed: Callable[..., str]) -> Callable[..., str]:
    """What it says on standard error."""
    return lambda *options: CliRunner().invoke(COMMANDS, options, catch_exceptions=False).stderr


@pytest.fixture
def version(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> str:
    """A version with an evaluation that was finished, and a later one that was cut short."""
    finished, begun = (
        make_manifest(evaluation_id=year, started_at=f"{year}-01-01T10:30:00Z") for year in (FINISHED, CUT_SHORT)
    )
    for each in (finished, begun):
        workplace.evidence.begin(each)
    tables, counts = EvaluationTables(workplace, finished), {"planned_trials": 3, "scored_trials": 2}
    tables.write_head("finished", **counts, invalid_trials=1)
    scores = {"agent": "marcus", "conclusive": True, "average_overall": 0.125, **counts, "invalid_trials": 1}
    tables.write("evaluation_scores", [scores])
    return finished.agent_version


def test_evaluations_stand_by_age_with_those_that_were_cut_short(listed: Callable[..., str], version: str) -> None:
    found: list[dict[str, Any]] = json.loads(listed("--json"))
    assert [row["evaluation_id"] for row in found] == [CUT_SHORT, FINISHED]
    begun, finished = found
    assert (begun["status"], begun["average_score"], begun["scored_trials"]) == ("conversing", None, None)
    assert begun["started_at"] == "2027-01-01T10:30:00+00:00"
    assert (finished["status"], finished["average_score"], finished["invalid_trials"]) == ("finished", 0.12, 1)
    lines = listed().splitlines()
    assert "2027-01-01 10:30" in lines[1]
    assert "conversing" in lines[1]
    assert ("0 of 0" in lines[1], "2 of 3" in lines[2]) == (True, True)


@pytest.mark.usefixtures("version")
def test_an_average_is_told_from_that_of_a_comparison(listed: Callable[..., str]) -> None:
    assert listed().splitlines()[-1] == evaluations.WHAT_AVERAGE


@pytest.mark.parametrize(
    ("evaluation_id", "cells"),
    [
        ("20261127T172746-d4386c", ["my-agent@3.20.0", "20261127T172746-d4386c"]),
        ("6f1c1b3e-8d0a-4b5c-9a51-0d5a3f6e7c21", ["my-agent@", "2026-11-27"]),  # Dagster's tells no time
    ],
)
def test_names_are_whole_and_a_moment_is_there_in_eighty_columns(
    listed: Callable[..., str], workplace: Workplace, make_manifest: Callable[..., Manifest],
    screen: Callable[[int], None], evaluation_id: str, cells: list[str],
) -> None:
    moment = "2026-11-27T17:27:46Z"
    workplace.evidence.begin(
        make_manifest(evaluation_id=evaluation_id, agent_version="my-agent@3.20.0", started_at=moment)
    )
    screen(80)
    heading, first, *further = listed().splitlines()
    assert evaluations.WHAT_AVERAGE not in further
    assert first.split()[0] == cells[0], first
    assert cells[1] in first
    assert ("begun" in heading) == (cells[1] == moment[:10])
    assert max(map(len, [heading, first, *further])) <= 80


def test_what_is_no_version_is_not_taken_for_one_without_evaluations(listed: Callable[..., str]) -> None:
    with pytest.raises(ConfigurationError, match="'marcus' is not"):
        listed("--agent-version", "marcus")


def test_one_that_runs_is_told_from_one_that_was_cut_short(
    listed: Callable[..., str], workplace: Workplace, version: str
) -> None:
    with workplace.evidence.locked(version, CUT_SHORT):
        assert [row["running"] for row in json.loads(listed("--json"))] == [True, False]
        assert "conversing running" in listed().splitlines()[1]
    assert [row["running"] for row in json.loads(listed("--json"))] == [False, False]
    assert "running" not in listed()
    with workplace.evidence.locked(version, FINISHED):  # its events are still being published
        assert "finished in use" in listed().splitlines()[2]
        assert "running" not in listed()


def test_one_that_was_cut_short_is_known_to_be_offline_too(
    workplace: Workplace, make_manifest: Callable[..., Manifest], listed: Callable[..., str], version: str
) -> None:
    assert OFFLINE_NOTE not in listed()
    workplace.evidence.begin(make_manifest(evaluation_id="2028", started_at="2028-01-01T10:30:00Z", offline=True))
    assert [row["offline"] for row in json.loads(listed("--json"))] == [True, False, False]
    assert "conversing offline" in listed().splitlines()[1]
    assert OFFLINE_NOTE in listed()


@pytest.mark.parametrize("status", [None, "conversed", "incomplete", "regrading"])
def test_what_was_cut_short_is_listed_with_its_cost_so_far(
    workplace: Workplace, make_manifest: Callable[..., Manifest], listed: Callable[..., str], status: str | None
) -> None:
    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    ledger = Ledger(StandIn(), workplace.evidence.journal_file(manifest), {})
    asked = ChatRequest("judge", "sage", (), 0.0)
    ledger.note(asked, ChatReply("", cost_usd=0.75))
    ledger.note(asked, charged(KeyboardInterrupt()), "KeyboardInterrupt")
    if status:
        EvaluationTables(workplace, manifest).write_head(status, planned_trials=1)
    [row] = json.loads(listed("--json"))
    assert (row["status"], row["cost_usd"]) == (status or "conversing", 0.75)


@pytest.mark.parametrize("damage", [lambda file: file.write_text('{"call": \x00}\n'), Path.mkdir])
def test_a_journal_that_cannot_be_read_leaves_its_cost_open_and_the_others_listed(
    workplace: Workplace, make_manifest: Callable[..., Manifest], listed: Callable[..., str], version: str,
    damage: Callable[[Path], object],
) -> None:  # fmt: skip
    damage(workplace.evidence.journal_file(make_manifest(evaluation_id=CUT_SHORT)))
    begun, finished = json.loads(listed("--json"))
    assert (begun["status"], begun["cost_usd"], finished["status"]) == ("conversing", None, "finished")


@pytest.mark.parametrize("left", ["nothing", "manifest", "damaged journal"])
def test_a_cost_that_is_stored_stays_where_the_journal_is_gone(
    workplace: Workplace, make_manifest: Callable[..., Manifest], listed: Callable[..., str], left: str
) -> None:
    manifest = make_manifest()
    if left != "nothing":
        workplace.evidence.begin(manifest)
    if left == "damaged journal":
        workplace.evidence.journal_file(manifest).mkdir()
    EvaluationTables(workplace, manifest).write_head("incomplete", planned_trials=1, cost_usd=1.5)
    [row] = json.loads(listed("--json"))
    assert (row["status"], row["cost_usd"]) == ("incomplete", 1.5)


def test_a_cost_that_was_known_is_not_stated_once_a_call_of_unknown_cost_followed(
    workplace: Workplace, make_manifest: Callable[..., Manifest], listed: Callable[..., str]
) -> None:
    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    EvaluationTables(workplace, manifest).write_head("conversed", planned_trials=1, cost_usd=1.5)
    Ledger(StandIn(), workplace.evidence.journal_file(manifest), {}).note(
        ChatRequest("judge", "sage", (), 0.0), ChatReply("", cost_usd=None)
    )
    [row] = json.loads(listed("--json"))
    assert row["cost_usd"] is None


def test_nothing_is_listed_where_nothing_is(listed: Callable[..., str], workplace: Workplace) -> None:
    (workplace.evidence.root / ".DS_Store").mkdir(parents=True)
    home, jobs = workplace.project.home, workplace.project.jobs
    missing = f"there are no jobs in {jobs} either: change to your project, or begin one with `stoic init`"
    assert f"nothing was evaluated yet in {home}; {missing}" in listed()
    jobs.mkdir()
    (jobs / "chat.yml").touch()
    assert f"nothing was evaluated yet in {home}; run `stoic eval` or `stoic demo`" in listed()


def test_what_is_left_of_a_deletion_that_was_cut_short_is_not_listed(
    listed: Callable[..., str], workplace: Workplace, version: str, caplog: pytest.LogCaptureFixture
) -> None:
    workplace.evidence.begin_deletion(version)
    assert json.loads(listed("--json")) == []
    assert f"run `stoic delete {version}` to delete the rest" in caplog.messages[0]
    assert f"run `stoic delete {version}` to delete the rest" in listed("--agent-version", version)


def test_one_version_is_listed_alone(
    listed: Callable[..., str], told: Callable[..., str], version: str
) -> None:
    assert len(json.loads(listed("--json", "--agent-version", version))) == 2
    assert json.loads(listed("--json", "--agent-version", "marcus@99")) == []
    assert "marcus@99 was never evaluated; did you mean marcus@1" in listed("--agent-version", "marcus@99")
    assert "marcus@99 was never evaluated; " in told("--json", "--agent-version", "marcus@99")
    assert told("--json", "--agent-version", version) == ""
    with pytest.raises(ConfigurationError, match="agent@version"):
        listed("--agent-version", "marcus")


def test_a_list_in_the_wrong_folder_leaves_nothing_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("STOIC_HOME", "STOIC_WAREHOUSE"):
        monkeypatch.delenv(name, raising=False)
    evaluations.list_evaluations()
    assert "nothing was evaluated yet" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [evaluations.list_evaluations, export.export, report.report])
def test_who_reads_in_a_project_that_was_moved_or_copied_renews_its_views(
    command: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed: list[Path] = []
    monkeypatch.setattr(Warehouse, "renew", lambda warehouse: renewed.append(warehouse.root))
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    with suppress(ConfigurationError):  # nothing was evaluated
        command()
    assert renewed == [tmp_path / "home" / "warehouse"]
