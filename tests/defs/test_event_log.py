"""Dagster's records as commands write them, read as the web UI reads them."""

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy
from dagster._core.definitions.run_status_sensor_definition import RunStatusSensorCursor
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteInstigatorOrigin, RemoteRepositoryOrigin
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    InstigatorType,
    SensorInstigatorData,
)

from stoic_assets.defs.event_log import KeptEventLog, instance_for_runs, keep_event_log, leave_output_alone

CHECK = dg.AssetCheckSpec("holds", asset="noted")


@dg.asset(check_specs=[CHECK], partitions_def=dg.StaticPartitionsDefinition(["a@1"]))
def noted() -> dg.MaterializeResult:
    return dg.MaterializeResult(metadata={"number": 7}, check_results=[dg.AssetCheckResult(passed=True)])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    return tmp_path


def run(instance: dg.DagsterInstance) -> str:
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    job = dg.Definitions([noted]).resolve_implicit_global_asset_job_def()
    return job.execute_in_process(instance=instance, partition_key="a@1", run_config=quiet).run_id


def kinds(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    return [entry.dagster_event.event_type_value for entry in instance.all_logs(run_id) if entry.dagster_event]


def test_the_web_ui_reads_what_a_command_wrote_and_the_other_way_round(home: Path) -> None:
    with instance_for_runs(home) as ours:
        assert isinstance(ours.event_log_storage, KeptEventLog)
        run_id = run(ours)
    with dg.DagsterInstance.from_config(str(home)) as stock:
        other = run(stock)
        found = kinds(stock, run_id)
        last = stock.get_latest_materialization_event(dg.AssetKey("noted"))
        assert last is not None
        assert last.run_id == other
    assert {"PIPELINE_SUCCESS", "ASSET_MATERIALIZATION", "ASSET_CHECK_EVALUATION"} <= set(found)
    with instance_for_runs(home) as ours:
        assert kinds(ours, other) == found
        assert ours.get_run_by_id(other).is_success  # type: ignore[union-attr]


def test_files_are_opened_far_less_often(home: Path) -> None:
    with dg.DagsterInstance.from_config(str(home)) as stock:
        usual = opened_by_a_run(stock)
    with instance_for_runs(home) as ours:
        assert opened_by_a_run(ours) < usual / 2


def opened_by_a_run(instance: dg.DagsterInstance) -> int:
    """Connections that a second run makes; the first prepares the files."""
    opened: list[object] = []

    def note(connection: object, record: object) -> None:
        opened.append(connection)

    run(instance)
    sqlalchemy.event.listen(sqlalchemy.Engine, "connect", note)
    try:
        run(instance)
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, "connect", note)
    return len(opened)


def test_a_folder_of_its_own_is_used(home: Path) -> None:
    own = f"storage:\n  sqlite:\n    base_dir: {home / 'elsewhere'}\n"
    (home / "dagster.yaml").write_text(own)
    with instance_for_runs(home) as instance:
        assert isinstance(instance.event_log_storage, KeptEventLog)
        run(instance)
    assert (home / "elsewhere" / "history").is_dir()


def test_what_is_remembered_is_forgotten_when_it_changes(home: Path) -> None:
    newest = dg.AssetRecordsFilter(asset_key=dg.AssetKey("noted"), asset_partitions=["a@1"])
    with instance_for_runs(home) as ours:
        for _ in range(2):
            run_id = run(ours)
            [record] = ours.fetch_materializations(newest, limit=1).records
            assert record.run_id == run_id
        ours.add_dynamic_partitions("versions", ["a@1"])
        assert ours.has_dynamic_partition("versions", "a@1")
        ours.delete_dynamic_partition("versions", "a@1")
        assert not ours.has_dynamic_partition("versions", "a@1")


def test_the_file_of_a_run_has_all_that_dagster_gives_it(home: Path) -> None:
    with instance_for_runs(home) as ours, dg.DagsterInstance.from_config(str(home)) as stock:
        schemas = [schema(home, run(instance)) for instance in (stock, ours, ours)]
    assert schemas[0]
    assert schemas[0] == schemas[1] == schemas[2]
    assert len(list((home / "history").glob("empty-run-*"))) == 1


@pytest.mark.parametrize(
    "left",
    [
        "",
        "drop table alembic_version; drop table secondary_indexes; drop table dynamic_partitions",
        "delete from secondary_indexes",
    ],
)
def test_an_index_that_dagster_was_killed_over_is_completed(home: Path, left: str) -> None:
    """An empty file, some of its tables, or all but what is noted last."""
    index = home / "history" / "runs" / "index.db"
    with instance_for_runs(home) as ours:
        whole = schema(home, "index")
    if not left:
        index.write_bytes(b"")
    with closing(sqlite3.connect(index)) as file:
        file.executescript(left)
    with instance_for_runs(home) as ours:
        ours.add_dynamic_partitions("versions", ["a@1"])
        assert ours.has_dynamic_partition("versions", "a@1")
        assert ours.event_log_storage.has_secondary_index("asset_key_index_columns")  # type: ignore[attr-defined]
    assert schema(home, "index") == whole


def failed(instance: dg.DagsterInstance) -> str:
    """A run whose end alone is among the events."""
    job = dg.Definitions([noted]).resolve_implicit_global_asset_job_def()
    run = instance.create_run_for_job(job)
    instance.report_run_failed(run, "it does not matter why")
    return run.run_id


def last_id(instance: dg.DagsterInstance) -> int:
    return instance.event_log_storage.get_maximum_record_id() or 0


@pytest.mark.parametrize(("reader", "lost"), [("daemon", "moved away"), ("sensor", "wiped")])
def test_ids_of_events_go_on_above_what_was_read_of_an_index_that_is_lost(home: Path, reader: str, lost: str) -> None:
    with dg.DagsterInstance.from_config(str(home)) as stock:
        failed(stock)
        read = last_id(stock)
        if reader == "daemon":
            stock.daemon_cursor_storage.set_cursor_values({"EVENT_LOG_CONSUMER_CURSOR-PIPELINE_FAILURE": str(read)})
        else:
            stock.add_instigator_state(sensor_state(RunStatusSensorCursor(record_id=read).to_json()))
            stock.add_instigator_state(sensor_state('{"marcus@1.0.0": "of another sensor"}'))
        if lost == "wiped":
            stock.event_log_storage.wipe()
    if lost == "moved away":
        (home / "history" / "runs" / "index.db").unlink()
    with instance_for_runs(home):
        pass
    with dg.DagsterInstance.from_config(str(home)) as stock:
        run_id = failed(stock)
        found = stock.event_log_storage.get_logs_for_all_runs_by_log_id(read, dg.DagsterEventType.RUN_FAILURE)
        assert [each.run_id for each in found.values()] == [run_id]


def sensor_state(cursor: str) -> InstigatorState:
    location = RegisteredCodeLocationOrigin("stoic")
    origin = RemoteInstigatorOrigin(RemoteRepositoryOrigin(location, "repository"), f"sensor of {cursor}")
    data = SensorInstigatorData(cursor=cursor)
    return InstigatorState(origin, InstigatorType.SENSOR, InstigatorStatus.RUNNING, data)


def test_ids_of_events_go_on_above_those_of_a_run_that_is_deleted(home: Path) -> None:
    with instance_for_runs(home) as ours:
        run_id, given = failed(ours), last_id(ours)
        ours.delete_run(run_id)
        failed(ours)
        assert last_id(ours) > given


def schema(home: Path, run_id: str) -> set[tuple[str, ...]]:
    with closing(sqlite3.connect(home / "history" / "runs" / f"{run_id}.db")) as file:
        assert file.execute("pragma journal_mode").fetchone() == ("wal",)
        made = file.execute("select type, name, sql from sqlite_master").fetchall()
        return {*made, *file.execute("select version_num from alembic_version").fetchall()}


def test_an_instance_that_dagster_opened_for_a_run_is_kept_open_too(home: Path) -> None:
    with dg.DagsterInstance.from_config(str(home)) as instance, dg.DagsterInstance.ephemeral() as other:
        keep_event_log(instance)
        keep_event_log(other)
        assert isinstance(instance.event_log_storage, KeptEventLog)
        assert not isinstance(other.event_log_storage, KeptEventLog)
        assert "PIPELINE_SUCCESS" in kinds(instance, run(instance))


CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")


@dg.asset
def processes() -> dg.MaterializeResult:
    return dg.MaterializeResult(metadata={"children": len(CHILDREN.read_text().split())})


@pytest.mark.skipif(not CHILDREN.exists(), reason="only Linux tells")
def test_what_a_command_prints_goes_through_no_other_process(home: Path) -> None:
    with instance_for_runs(home) as instance:
        stock = children_of_a_run(instance)
    with instance_for_runs(home) as instance:
        leave_output_alone(instance)
        assert children_of_a_run(instance) == len(CHILDREN.read_text().split()) < stock


def children_of_a_run(instance: dg.DagsterInstance) -> int:
    [made] = dg.materialize([processes], instance=instance).asset_materializations_for_node("processes")
    return int(str(made.metadata["children"].value))


def test_a_file_that_finds_no_room_is_made_by_sqlite_and_its_draft_goes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy_half(_: Path, target: Path) -> Path:
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", copy_half)
    with instance_for_runs(home) as ours:
        assert "PIPELINE_SUCCESS" in kinds(ours, run(ours))
    assert not list(home.rglob("*.new"))
