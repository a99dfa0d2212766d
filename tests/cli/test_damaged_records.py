"""Damaged files of Dagster's own records, each harmed as a disk might."""

import re
from pathlib import Path

import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import open_instance, sqlite_folders
from stoic_assets.cli.damaged_records import damaged_record, record_damage_named
from stoic_assets.core.stages import PARTITIONS

FILES = ("history/runs.db", "history/runs/index.db", "schedules/schedules.db")


def add_partition(workplace: Workplace) -> None:
    with open_instance(workplace) as instance:
        instance.add_dynamic_partitions(PARTITIONS, ["marcus@1"])


def overwritten(file: Path) -> None:
    file.write_bytes(b"no database")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:10_000])


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        (FILES[0], overwritten),
        (FILES[1], cut),
        (FILES[2], overwritten),
        pytest.param(FILES[0], cut, marks=pytest.mark.long),
        pytest.param(FILES[1], overwritten, marks=pytest.mark.long),
        pytest.param(FILES[2], cut, marks=pytest.mark.long),
    ],
)
def test_a_damaged_file_is_named_and_all_works_once_it_is_away(workplace: Workplace, name: str, harm) -> None:
    add_partition(workplace)
    file = workplace.project.home / "dagster" / name
    assert damaged_record(sqlite_folders(workplace), whole=True) is None
    harm(file)
    told = f"^{re.escape(str(file))} is damaged; move it away, with {file.name}-wal if that exists: no result is lost"
    with pytest.raises(StorageError, match=told):
        add_partition(workplace)
    found = damaged_record(sqlite_folders(workplace))
    assert re.match(told, str(found))
    file.rename(file.with_suffix(".old"))
    add_partition(workplace)
    with open_instance(workplace) as instance:
        assert instance.get_dynamic_partitions(PARTITIONS) == ["marcus@1"]


def test_a_damaged_file_of_one_run_is_looked_for_only_after_a_fault(workplace: Workplace) -> None:
    """There may be thousands, and no other run needs it."""
    add_partition(workplace)
    file = workplace.project.home / "dagster" / "history" / "runs" / "an-old-run.db"
    overwritten(file)
    assert damaged_record(sqlite_folders(workplace)) is None
    told = f"{file} is damaged; move it away, with an-old-run.db-wal if that exists: no result is lost with it, only"
    assert str(damaged_record(sqlite_folders(workplace), whole=True)) == f"{told} Dagster's events of one run"


def test_damage_that_a_run_meets_is_named_though_dagster_wraps_it(workplace: Workplace) -> None:
    from dagster import DagsterError
    from sqlalchemy.exc import DatabaseError

    add_partition(workplace)
    overwritten(workplace.project.home / "dagster" / "schedules" / "schedules.db")
    with pytest.raises(StorageError, match=r"schedules\.db is damaged"), record_damage_named(sqlite_folders(workplace)):
        raise DagsterError("the step failed") from DatabaseError("select", {}, Exception("malformed"))


def test_other_faults_stay_what_they_are(workplace: Workplace) -> None:
    from sqlalchemy.exc import OperationalError

    add_partition(workplace)
    for fault in (OperationalError("select", {}, Exception("no such table")), ValueError("other")):
        with pytest.raises(type(fault)), record_damage_named(sqlite_folders(workplace)):
            raise fault


@pytest.mark.timeout(30)
def test_a_fault_of_an_asset_is_told_though_its_causes_go_round(workplace: Workplace) -> None:
    """Dagster raises the fault again within the error that it wrapped it in: each is then a cause of the other."""
    import dagster as dg

    @dg.asset
    def broken() -> None:
        raise OSError("no such disk")

    job = dg.Definitions(assets=[broken]).resolve_implicit_global_asset_job_def()
    with pytest.raises(OSError, match="no such disk"), open_instance(workplace) as instance:
        job.execute_in_process(instance=instance)
