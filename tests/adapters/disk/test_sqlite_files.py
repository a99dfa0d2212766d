"""SQLite files that several processes share."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.sqlite_files import open_shared


def test_a_file_that_is_no_database_is_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def remembered(*args: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*args, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", remembered)
    (tmp_path / "cache.db").write_bytes(b"no database " * 100)
    with pytest.raises(sqlite3.DatabaseError):
        open_shared(tmp_path / "cache.db")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("select 1")
