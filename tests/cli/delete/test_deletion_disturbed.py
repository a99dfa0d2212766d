"""`stoic delete` while something is in its way: other processes, a kill, a full disk, damaged files."""

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from delete_command import DELETE, VERSION
from evaluation_heads import evaluation_head
from sqlalchemy.exc import OperationalError
from typer.testing import CliRunner

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation import deletion
from stoic_assets.adapters.evaluation.deletion import delete_version
from stoic_assets.adapters.evaluation.delivery import deliver
from stoic_assets.adapters.evaluation.publishing import IMPORTING
from stoic_assets.adapters.messages.outbox import Outbox
from stoic_assets.adapters.messages.outbox_file import ACCEPTED
from stoic_assets.adapters.ratings.rating_keys import ratings_locked
from stoic_assets.adapters.warehouse import compaction
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import delete
from stoic_assets.cli.run_faults import Interrupted
from stoic_assets.core.errors import ConfigurationError, QueryError, StoicError
from stoic_assets.core.progress import Progress

NOW = "2026-01-01T00:00:00Z"

TAKE = """
import sys
from pathlib import Path
from stoic_assets.adapters.disk.evidence_store import EvidenceStore
with EvidenceStore(Path(sys.argv[1])).locked(*sys.argv[2:]):
    print("begun")
"""


@dataclass
class Told(Progress):
    """Is `waiting` as soon as it is told to."""

    waiting: Event = field(default_factory=Event)

    def note(self, message: str) -> None:
        self.waiting.set()


def no_partition() -> None: ...


def begin_elsewhere(workplace: Workplace) -> str:
    """What another process says that goes on with the evaluation."""
    command = [sys.executable, "-c", TAKE, workplace.project.home, VERSION, "E1"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout + run.stderr


def test_while_a_version_is_deleted_none_of_its_evaluations_can_run(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(deletion, "delete_from_graph", lambda place, _: said.append(begin_elsewhere(place)))
    done = CliRunner().invoke(DELETE, [VERSION, "--yes", "--json"], catch_exceptions=False)
    assert json.loads(done.stdout) == {"agent_version": VERSION, "evaluations": 1}
    assert "marcus@1.1.0 is being deleted by another process; wait for it" in said[0]
    assert [path for path in workplace.project.home.rglob("*") if VERSION in path.name] == []
    assert begin_elsewhere(workplace) == "begun\n"


@pytest.mark.parametrize("writing", [ratings_locked, lambda workplace: workplace.blocking_in_turn(*IMPORTING)])
def test_whoever_collects_ratings_or_feedback_meanwhile_cannot_write_a_versions_back(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, writing: Callable[[Workplace], AbstractContextManager[None]]
) -> None:
    told = Told()
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    deleting = Thread(target=delete_version, args=(replace(workplace, progress=told), VERSION, no_partition))
    with writing(workplace):
        deleting.start()
        assert told.waiting.wait(30)
        assert workplace.warehouse.has("turns", VERSION, "E1")
    deleting.join()
    assert not workplace.warehouse.has("turns", VERSION, "E1")


def test_whoever_notes_delivery_times_meanwhile_cannot_write_a_versions_back(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the rows when the deletion begins."""
    row = {"id": "t", "type": "t", "subject": VERSION, "time": NOW, "data": "{}"}
    workplace.warehouse.write("events", VERSION, "E1", [row])
    workplace.outbox.put("events", {"t": {}}, VERSION)
    with workplace.outbox._settling() as settle:
        settle(ACCEPTED, 1)
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    deleting = Thread(target=delete_version, args=(workplace, VERSION, no_partition))
    look_up = Outbox.delivery_times

    def disturbed(*asked: Any) -> dict[str, str | None]:
        times = look_up(*asked)
        deleting.start()
        deleting.join(1)
        return times

    monkeypatch.setattr(Outbox, "delivery_times", disturbed)
    asyncio.run(deliver(workplace, {}, ()))
    deleting.join()
    assert workplace.warehouse.agent_versions() == set()


def test_what_could_not_be_deleted_is_told_and_can_be_deleted_again(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    (tmp_path / "elsewhere").mkdir()
    report = workplace.reports / "marcus@1.1.0"
    (report / "inner").rmdir()
    report.rmdir()
    report.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"reports/marcus@1\.1\.0 cannot be removed"):
        CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert workplace.evidence.evaluation_ids(VERSION) == ["E1"]
    report.unlink()
    done = CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted marcus@1.1.0 with 1 evaluation\n"
    assert workplace.evidence.manifests(VERSION) == []


def test_a_deletion_that_was_killed_leaves_nothing_that_counts(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace.warehouse.write("evaluations", VERSION, "E1", [evaluation_head(started_at=NOW)])
    with monkeypatch.context() as killing:
        killing.setattr(compaction, "remove_folder", killed_after(1))
        with pytest.raises(SystemExit):
            delete_version(workplace, VERSION, no_partition)
    assert workplace.warehouse.evaluations(VERSION) == []
    assert workplace.warehouse.has("turns", VERSION, "E1")
    with pytest.raises(ConfigurationError, match=r"run `stoic delete marcus@1\.1\.0` to delete the rest"):
        workplace.evidence.manifest(VERSION, "E1")

    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert VERSION not in workplace.warehouse.agent_versions() | workplace.evidence.agent_versions()


def test_a_deletion_that_finds_no_room_for_messages_leaves_nothing_that_counts(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace.warehouse.write("evaluations", VERSION, "E1", [evaluation_head(started_at=NOW)])
    monkeypatch.setattr(Outbox, "delete", disk_is_full)
    with pytest.raises(StorageError):
        CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
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
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    monkeypatch.setattr(delete, "forget_partition", disk_is_full)
    with pytest.raises(StorageError) as told:
        CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    left = "free space; run `stoic delete marcus@1.1.0` again to delete the rest"
    assert str(told.value) == f"{workplace.project.home} cannot be written: database or disk is full; {left}"


@pytest.mark.parametrize(
    ("step", "left"),
    [
        ("times_locked", "nothing was deleted"),
        ("delete_from_graph", "run `stoic delete marcus@1.1.0` again to delete the rest"),
    ],
)
def test_an_interrupted_deletion_tells_whether_it_had_begun(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, step: str, left: str
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deletion, step, interrupt)
    with pytest.raises(Interrupted, match=f"^interrupted; {left}$"):
        CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)


@pytest.mark.parametrize(("free", "raised"), [(16_000, StorageError), (10**9, QueryError)])
def test_a_graph_that_fails_on_a_full_disk_is_told_as_that(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, free: int, raised: type[StoicError]
) -> None:
    def fail(*_: object) -> None:
        raise QueryError("Neo.ClientError.Transaction.TransactionNotFound: Transaction error on commit")

    monkeypatch.setattr(deletion, "delete_from_graph", fail)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=10**9, free=free))
    with pytest.raises(raised) as told:
        CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    left = "the disk is full; free space; run `stoic delete marcus@1.1.0` again to delete the rest"
    assert str(told.value).endswith(left) == (raised is StorageError)


def disk_is_full(*_: object) -> None:
    raise OperationalError("delete", {}, sqlite3.OperationalError("database or disk is full"))


def test_a_version_with_an_evaluation_that_cannot_be_read_any_more_is_deleted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    (workplace.evidence.folder(VERSION, "E1") / "manifest.json").write_text("{}")
    done = CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted marcus@1.1.0 with 1 evaluation\n"
    assert VERSION not in workplace.evidence.agent_versions()


def test_evaluations_without_a_manifest_or_with_damaged_rows_are_counted_and_deleted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion, "delete_from_graph", lambda *_: None)
    for evaluation_id in ("E1", "E2"):
        workplace.warehouse.write("evaluations", VERSION, evaluation_id, []).write_bytes(b"damaged")
    (workplace.evidence.folder(VERSION, "E1") / "manifest.json").unlink()
    done = CliRunner().invoke(DELETE, [VERSION, "--yes"], catch_exceptions=False)
    assert done.stdout == "deleted marcus@1.1.0 with 2 evaluations\n"
    assert workplace.warehouse.evaluation_ids(VERSION) == set()
