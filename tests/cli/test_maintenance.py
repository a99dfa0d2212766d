"""`stoic export`, `stoic delete` and `stoic schema` as commands: what they do, and what they say."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest
import typer
from sqlalchemy.exc import OperationalError
from typer.testing import CliRunner

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.messages.outbox import Outbox
from stoic_assets.adapters.ratings.rating_keys import read_keys, write_keys
from stoic_assets.adapters.warehouse import compaction
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import maintenance
from stoic_assets.cli.dagster_instance import dagster_home, open_instance
from stoic_assets.cli.maintenance import delete, export, schema
from stoic_assets.core.errors import ConfigurationError, QueryError, StoicError
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.night_record import Alarm, HeldVersion, Round
from stoic_assets.core.ratings.blinding import Key
from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.stages import PARTITIONS

VERSION = "marcus@1.1.0"
NOW = "2026-01-01T00:00:00Z"
COMMANDS = typer.Typer()
for command in (delete, export, schema):
    COMMANDS.command()(command)


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_everything_is_exported_where_the_options_say(tmp_path: Path) -> None:
    options = ["--duckdb", "all.duckdb", "--csv", "csv", "--parquet", "parquet", "--json"]
    done = CliRunner().invoke(COMMANDS, ["export", *options], catch_exceptions=False)
    assert json.loads(done.stdout) == {
        "path": str(tmp_path / "all.duckdb"), "csv": str(tmp_path / "csv"), "parquet": str(tmp_path / "parquet"),
    }  # fmt: skip
    assert (tmp_path / "all.duckdb").is_file()
    for kind in ("csv", "parquet"):
        assert {path.name for path in (tmp_path / kind).iterdir()} == {f"{table}.{kind}" for table in TABLES}


def test_a_home_that_cannot_be_written_any_more_is_exported_and_where_to_is_said(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != workplace.project.home)
    options = ["--duckdb", "all.duckdb", "--parquet", "parquet"]
    done = CliRunner().invoke(COMMANDS, ["export", *options], catch_exceptions=False)
    assert done.stdout == "wrote all.duckdb, parquet\n"
    assert {path.name for path in tmp_path.iterdir()} == {"home", "all.duckdb", "parquet"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--csv", "csv", "--parquet", "full"], "full is not an empty folder"),
        (["--csv", "csv", "--parquet", "./csv"], "csv is named twice"),
        (["--csv", "csv", "--duckdb", "csv"], "csv would hold another export"),
        (["--csv", "new/csv", "--parquet", "new"], "new would hold another export"),
        (["--csv", "new", "--duckdb", "new/all.duckdb"], "new would hold another export"),
        (["--csv", "csv", "--parquet", "full/file/parquet"], "full/file/parquet cannot be written"),
    ],
)
def test_nothing_is_exported_if_not_everything_can_be(tmp_path: Path, options: list[str], said: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(StoicError, match=said):
        CliRunner().invoke(COMMANDS, ["export", "--duckdb", "all.duckdb", *options], catch_exceptions=False)
    assert {path.name for path in tmp_path.iterdir()} <= {"home", "full"}


def test_nowhere_to_export_to_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="give --duckdb FILE, --csv FOLDER or --parquet FOLDER"):
        CliRunner().invoke(COMMANDS, ["export"], catch_exceptions=False)


@pytest.fixture
def workplace(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Workplace:
    """A home with one evaluation of a version, cached replies and a report."""
    with workplace.evidence.locked(VERSION, "E1"):
        workplace.evidence.begin(make_manifest(evaluation_id="E1", agent_version=VERSION))
    workplace.warehouse.write("turns", VERSION, "E1", [])
    for folder in (workplace.judge_cache(VERSION), workplace.reports / VERSION):
        (folder / "inner").mkdir(parents=True)
    return workplace


TAKE = """
import sys
from pathlib import Path
from stoic_assets.adapters.disk.evidence_store import EvidenceStore
with EvidenceStore(Path(sys.argv[1])).locked(*sys.argv[2:]):
    print("begun")
"""


def begin_elsewhere(workplace: Workplace) -> str:
    """What another process says that goes on with the evaluation."""
    command = [sys.executable, "-c", TAKE, workplace.project.home, VERSION, "E1"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout + run.stderr


def test_while_a_version_is_deleted_none_of_its_evaluations_can_run(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda place, _: said.append(begin_elsewhere(place)))
    done = CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout) == {"agent_version": VERSION, "evaluations": 1}
    assert "marcus@1.1.0 is being deleted by another process; wait for it" in said[0]
    assert [path for path in workplace.project.home.rglob("*") if VERSION in path.name] == []
    assert begin_elsewhere(workplace) == "begun\n"


@pytest.mark.parametrize(("answer", "is_deleted"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_nothing_is_deleted_but_by_who_says_yes(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, answer: str, is_deleted: bool
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    done = CliRunner().invoke(COMMANDS, ["delete", VERSION], input=answer, catch_exceptions=False)
    assert "Delete marcus@1.1.0 and its 1 evaluation permanently?" in done.stderr
    told = "deleted marcus@1.1.0 with 1 evaluation\n" if is_deleted else ""
    assert (done.exit_code, done.stdout) == (0 if is_deleted else 1, f" {answer}{told}"), "typed on a terminal"
    assert done.stderr.endswith("nothing was deleted\n") is not is_deleted
    assert (VERSION in workplace.warehouse.agent_versions() & workplace.evidence.agent_versions()) != is_deleted


def test_the_end_of_the_input_is_no_answer(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match="no answer; add --yes to delete without a question"):
        CliRunner().invoke(COMMANDS, ["delete", VERSION], input="", catch_exceptions=False)
    assert workplace.evidence.evaluation_ids(VERSION) == ["E1"]


def test_in_a_home_that_would_be_misread_nothing_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a pattern, its path would name other folders."""
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home[1]"))
    with pytest.raises(ConfigurationError, match=r"misreads '\[1\]' in the path .*; rename that folder"):
        CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)


def test_ctrl_c_at_the_question_is_an_interrupt_and_ends_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal it reaches the prompt as the end of the input does."""

    def ended(*_: object, **__: object) -> bool:
        raise typer.Abort

    monkeypatch.setattr(typer, "confirm", ended)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    with pytest.raises(KeyboardInterrupt):
        maintenance._agreed("Delete it?")
    assert capsys.readouterr().err == "\n"


def test_what_could_not_be_deleted_is_told_and_can_be_deleted_again(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    (tmp_path / "elsewhere").mkdir()
    report = workplace.reports / "marcus@1.1.0"
    (report / "inner").rmdir()
    report.rmdir()
    report.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"reports/marcus@1\.1\.0 cannot be removed"):
        CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert workplace.evidence.evaluation_ids(VERSION) == ["E1"]
    report.unlink()
    done = CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted marcus@1.1.0 with 1 evaluation\n"
    assert workplace.evidence.manifests(VERSION) == []


def test_a_deletion_that_was_killed_leaves_nothing_that_counts(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = {"agent": "marcus", "started_at": NOW, "status": "finished", "offline": False, "planned_trials": 1}
    workplace.warehouse.write("evaluations", VERSION, "E1", [evaluation])
    with monkeypatch.context() as killing:
        killing.setattr(compaction, "remove_folder", killed_after(1))
        with pytest.raises(SystemExit):
            maintenance._delete_all(workplace, VERSION)
    assert workplace.warehouse.evaluations(VERSION) == []
    assert workplace.warehouse.has("turns", VERSION, "E1")
    with pytest.raises(ConfigurationError, match=r"run `stoic delete marcus@1\.1\.0` to delete the rest"):
        workplace.evidence.manifest(VERSION, "E1")

    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert VERSION not in workplace.warehouse.agent_versions() | workplace.evidence.agent_versions()


def test_a_deletion_that_finds_no_room_for_messages_leaves_nothing_that_counts(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = {"agent": "marcus", "started_at": NOW, "status": "finished", "offline": False, "planned_trials": 1}
    workplace.warehouse.write("evaluations", VERSION, "E1", [evaluation])
    monkeypatch.setattr(Outbox, "delete", disk_is_full)
    with pytest.raises(StorageError):
        CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert workplace.warehouse.agent_versions() == set()
    assert workplace.evidence.evaluation_ids(VERSION) == ["E1"]


def killed_after(number: int) -> Callable[[Path], None]:
    """Removes so many folders that are there, and then the process is gone."""
    removed: list[Path] = []

    def remove(folder: Path) -> None:
        if len(removed) == number:
            raise SystemExit
        if folder.exists():
            shutil.rmtree(folder)
            removed.append(folder)

    return remove


def test_a_disk_that_is_full_for_dagster_is_told_with_what_goes_on(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    monkeypatch.setattr(maintenance, "forget_partition", disk_is_full)
    with pytest.raises(StorageError) as told:
        CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    left = "free space; run `stoic delete marcus@1.1.0` again to delete the rest"
    assert str(told.value) == f"{workplace.project.home} cannot be written: database or disk is full; {left}"


def test_with_a_version_go_the_keys_to_its_rated_replies_and_the_pages_that_show_them(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    home, pages = workplace.project.home, workplace.reports / "ratings"
    versions = {"x-1": VERSION, "x-2": "mentor@2"}
    keys = {test_id: Key(origin=test_id, rubric="r", agent_version=each, words=5) for test_id, each in versions.items()}
    write_keys(home, keys)
    pages.mkdir(parents=True)
    for test_id in keys:
        (pages / f"{test_id}.html").write_text(f"<p>{test_id}</p>")
    CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert read_keys(home) == {"x-2": keys["x-2"]}
    assert [page.name for page in pages.iterdir()] == ["x-2.html"]


@pytest.mark.parametrize(("free", "raised"), [(16_000, StorageError), (10**9, QueryError)])
def test_a_graph_that_fails_on_a_full_disk_is_told_as_that(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, free: int, raised: type[StoicError]
) -> None:
    def fail(*_: object) -> None:
        raise QueryError("Neo.ClientError.Transaction.TransactionNotFound: Transaction error on commit")

    monkeypatch.setattr(maintenance, "delete_from_graph", fail)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=10**9, free=free))
    with pytest.raises(raised) as told:
        CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    left = "the disk is full; free space; run `stoic delete marcus@1.1.0` again to delete the rest"
    assert str(told.value).endswith(left) == (raised is StorageError)


def disk_is_full(*_: object) -> None:
    raise OperationalError("delete", {}, sqlite3.OperationalError("database or disk is full"))


def test_a_version_with_an_evaluation_that_cannot_be_read_any_more_is_deleted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    (workplace.evidence.folder(VERSION, "E1") / "manifest.json").write_text("{}")
    done = CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted marcus@1.1.0 with 1 evaluation\n"
    assert VERSION not in workplace.evidence.agent_versions()


def test_evaluations_without_a_manifest_or_with_damaged_rows_are_counted_and_deleted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    for evaluation_id in ("E1", "E2"):
        workplace.warehouse.write("evaluations", VERSION, evaluation_id, []).write_bytes(b"damaged")
    (workplace.evidence.folder(VERSION, "E1") / "manifest.json").unlink()
    done = CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted marcus@1.1.0 with 2 evaluations\n"
    assert workplace.warehouse.evaluation_ids(VERSION) == set()


def test_dagster_and_nights_forget_a_deleted_version_and_no_other(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    runs = {version: begin_run(workplace, version) for version in (VERSION, "marcus@1.0.0")}
    nights = workplace.nights
    held = {version: HeldVersion(evaluation_id="E1") for version in runs}
    faults = {VERSION: "it fell silent"}
    alarm = Alarm(agent_version=VERSION, base="marcus@1.0.0", measures=(), evaluation_ids=())
    for name in ("first", "again"):
        nights.record_round("2026-11-21", name, Round(run_id="r", held_at="t", evaluations=held, faults=faults))
    nights.record_alarm("2026-11-21", alarm)
    damaged = workplace.project.home / "nights" / "2026-11-22.json"
    damaged.write_text("{")

    done = CliRunner().invoke(COMMANDS, ["delete", VERSION, "--yes"], catch_exceptions=False)
    assert done.stderr == f"stoic: {damaged} is damaged and may still name {VERSION}; correct or remove the file\n"
    with open_instance(workplace) as instance:
        assert [run.run_id for run in instance.get_runs()] == [runs["marcus@1.0.0"]]
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1.0.0"]
        assert instance.get_materialized_partitions(dg.AssetKey("step")) == {"marcus@1.0.0"}
    files = (dagster_home(workplace) / "history" / "runs").glob("*.db")
    assert {path.stem for path in files} & set(runs.values()) == {runs["marcus@1.0.0"]}
    left = nights.read("2026-11-21")
    assert [(list(each.evaluations), each.faults) for each in left.rounds] == [(["marcus@1.0.0"], {})] * 2
    assert left.alarms == {}
    assert damaged.read_text() == "{"


@dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name=PARTITIONS))
def step() -> None: ...


def begin_run(workplace: Workplace, version: str) -> str:
    """A run that materialised `step` of a version."""
    with open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, [version])
        return dg.materialize([step], instance=instance, partition_key=version).run_id


def test_a_partition_that_is_no_version_is_deleted_as_such(workplace: Workplace) -> None:
    with pytest.raises(ConfigurationError, match="is not an agent version"):
        CliRunner().invoke(COMMANDS, ["delete", "../x", "--yes"], catch_exceptions=False)
    with open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, ["../x", VERSION])
    done = CliRunner().invoke(COMMANDS, ["delete", "../x", "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted ../x with 0 evaluations\n"
    with open_instance(workplace) as instance:
        assert instance.get_dynamic_partitions(PARTITIONS) == [VERSION]
    assert len(workplace.evidence.manifests(VERSION)) == 1


@pytest.mark.parametrize("version", ["typo@9", ALL_VERSIONS])
def test_a_version_that_is_not_there_is_refused_with_those_that_are(workplace: Workplace, version: str) -> None:
    workplace.warehouse.write("turns", ALL_VERSIONS, "ratings", [])
    workplace.warehouse.write("turns", "mentor@2", "E9", [])
    with pytest.raises(ConfigurationError) as refused:
        CliRunner().invoke(COMMANDS, ["delete", version, "--yes"], catch_exceptions=False)
    assert str(refused.value) == f"nothing is stored for {version}; known: marcus@1.1.0, mentor@2"
    assert workplace.warehouse.has("turns", ALL_VERSIONS, "ratings")
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("left", ["table", "folder", "partition"])
def test_what_is_left_of_a_version_without_evaluations_can_be_deleted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    monkeypatch.setattr(maintenance, "delete_from_graph", lambda *_: None)
    if left == "table":
        workplace.warehouse.write("turns", "mentor@2", "E9", [])
    elif left == "folder":
        workplace.evidence.folder("mentor@2", "E9").mkdir(parents=True)
    else:
        with open_instance(workplace) as instance:
            instance.add_dynamic_partitions(PARTITIONS, ["mentor@2"])
    done = CliRunner().invoke(COMMANDS, ["delete", "mentor@2", "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted mentor@2 with 0 evaluations\n"
    with pytest.raises(ConfigurationError, match="nothing is stored for mentor@2"):
        CliRunner().invoke(COMMANDS, ["delete", "mentor@2", "--yes"], catch_exceptions=False)


def test_the_schema_of_jobs_is_written_whole_or_the_fault_is_named(tmp_path: Path) -> None:
    shown = CliRunner().invoke(COMMANDS, ["schema"], catch_exceptions=False).stdout
    done = CliRunner().invoke(COMMANDS, ["schema", "--out", "deep/job.schema.json"], catch_exceptions=False)
    assert done.stdout == f"wrote {Path('deep/job.schema.json')}\n"
    assert (tmp_path / "deep" / "job.schema.json").read_text() == shown
    assert "properties" in json.loads(shown)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be written"):
        CliRunner().invoke(COMMANDS, ["schema", "--out", "file/job.schema.json"], catch_exceptions=False)
