"""SQLite files that several processes share."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.sqlite_files import is_damaged, open_shared


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


def test_a_file_has_no_log_beside_it_which_other_machines_would_not_see(tmp_path: Path) -> None:
    with closing(open_shared(tmp_path / "cache.db")) as connection:
        assert connection.execute("pragma journal_mode").fetchall() == [("truncate",)]


@pytest.mark.parametrize(
    ("harm", "by_head", "by_whole"),
    [
        (lambda content: content, False, False),
        (lambda content: b"", False, False),
        (lambda content: b"no database", True, True),
        (lambda content: b"\xff" * 100 + content[100:], True, True),
        (lambda content: content[:-4096], True, True),
        (lambda content: content[:4096] + b"\xff" * (len(content) - 4096), False, True),
    ],
)
def test_damage_is_found_by_head_and_length_or_by_a_look_at_the_whole(
    tmp_path: Path, harm: Any, by_head: bool, by_whole: bool
) -> None:
    file = tmp_path / "a?b #.db"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("create table replies (key text)")
        database.executemany("insert into replies values (?)", [["k" * 100]] * 200)
    assert not is_damaged(file, whole=True)
    file.write_bytes(harm(file.read_bytes()))
    assert (is_damaged(file), is_damaged(file, whole=True)) == (by_head, by_whole)


def test_a_file_that_is_gone_or_busy_is_not_damaged(tmp_path: Path) -> None:
    file = tmp_path / "replies.db"
    assert not is_damaged(file)
    assert not file.exists()
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("create table replies (key text)")
        database.execute("begin exclusive")
        began = time.monotonic()
        assert not is_damaged(file)
        assert time.monotonic() - began < 3, "a busy file is not waited for: a home has many"
