"""SQLite files of a home, which any number of processes, also on several machines, use at once."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from stoic_assets.adapters.disk.files import StorageError, make_folder

_PATIENCE = 30.0
"""Seconds to wait while another process writes."""
_LOOK_PATIENCE = 0.2
"""Seconds to wait with a look for damage: there may be many files, and a busy one works."""


def open_shared(file: Path, one_thread: bool = True) -> sqlite3.Connection:
    """A connection; makes the folder and the file if they are missing. The caller closes it."""
    make_folder(file.parent)
    connection = sqlite3.connect(file, timeout=_PATIENCE, check_same_thread=one_thread)
    with ExitStack() as unusable:
        unusable.callback(connection.close)
        # No write-ahead log: several machines may share the folder, which such a log does not support.
        connection.execute("pragma journal_mode = truncate")
        unusable.pop_all()
    return connection


def is_damaged(file: Path, whole: bool = False) -> bool:
    """Whether SQLite finds a file damaged: by its beginning and its length, or by the `whole` of it.

    A file that is gone, busy, or that we may not read does not count as damaged.
    """
    question = "pragma quick_check(1)" if whole else "select count(*) from sqlite_master"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", _LOOK_PATIENCE, uri=True)) as connection:
            [[answer]] = connection.execute(question).fetchall()
    except sqlite3.OperationalError:
        return False
    except sqlite3.DatabaseError:
        return True
    return whole and answer != "ok"


@contextmanager
def faults_named(file: Path, when_deleted: str) -> Iterator[None]:
    """Turns faults of the file into `StorageError`, whose advice says what deleting a damaged one means."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        advice = f"free space or check who may write there; a damaged file may be deleted{when_deleted}"
        raise StorageError(f"{file} cannot be used: {error}; {advice}") from None
