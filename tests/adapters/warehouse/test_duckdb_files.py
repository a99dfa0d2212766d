"""Drafts of what replaces a file or a folder."""

import duckdb
import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.duckdb_files import drafted


def test_why_a_draft_fails_is_one_line(tmp_path):
    with pytest.raises(StorageError) as failed, drafted(tmp_path / "csv"), duckdb.connect() as engine:
        engine.execute("copy (from 'none.parquet') to 'none.csv'")
    assert str(failed.value) == (
        f"cannot write {tmp_path}/csv: IO Error: No files found that match the pattern \"none.parquet\"; "
        "check free space and permissions"
    )  # fmt: skip
