"""Drafts of what replaces a file or a folder."""

import os
from datetime import timedelta

import duckdb
import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.compaction import compact
from stoic_assets.adapters.warehouse.duckdb_files import drafted


def test_why_a_draft_fails_is_one_line(tmp_path):
    with pytest.raises(StorageError) as failed, drafted(tmp_path / "csv"), duckdb.connect() as engine:
        engine.execute("copy (from 'none.parquet') to 'none.csv'")
    assert str(failed.value) == (
        f"cannot write {tmp_path}/csv: IO Error: No files found that match the pattern \"none.parquet\"; "
        "check free space and permissions"
    )  # fmt: skip


@pytest.fixture
def left(tmp_path):
    """Drafts that killed processes left: one in which something was written just now, and some that are old."""
    old = (".draft-1/csv/turns.csv", ".draft-2/csv.wal", ".draft-3/csv/trials.csv")
    for name in (*old, ".draft-3/csv/turns.csv"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("rows")
    for path in (*(tmp_path / name for name in old), *tmp_path.glob("*/csv"), *tmp_path.glob(".draft-*")):
        os.utime(path, (0, 0))
    return tmp_path


def test_a_new_draft_replaces_those_of_the_same_place_that_killed_processes_left(left):
    with drafted(left / "csv") as draft:
        draft.mkdir()
    assert {path.name for path in left.iterdir()} == {".draft-2", ".draft-3", "csv"}


def test_a_compaction_removes_drafts_that_killed_processes_left_in_the_warehouse(left):
    compact(left, timedelta(0))
    assert {path.name for path in left.iterdir()} == {".compaction.lock", ".draft-3"}
