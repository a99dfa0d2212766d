"""Damaged files of Dagster's records: which one it is, what is lost with it, and what to do."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.disk.sqlite_files import is_damaged
from stoic_assets.core.errors import causes

_LOST = {
    "runs.db": "list of runs",
    "index.db": "history of assets and partitions; the next evaluation of a version adds its partition again",
    "schedules.db": "note of which sensors and schedules are switched on, and of what sensors have seen",
}
"""What Dagster keeps in each file; all others have the events of one run."""


def damaged_record(folders: Iterable[Path], whole: bool = False) -> StorageError | None:
    """The first damaged file in these folders, or None.

    Checks beginning and length of the files that all runs share; with `whole`, all of every file.
    """
    for folder in folders:
        for file in sorted(folder.glob("*.db")):
            if (whole or file.name in _LOST) and is_damaged(file, whole):
                return StorageError(_advice_on_damage(file))
    return None


@contextmanager
def record_damage_named(folders: Iterable[Path]) -> Iterator[None]:
    """Raises `StorageError` with the name of the damaged file instead of what SQLite or Dagster says of it."""
    try:
        yield
    except Exception as error:
        if _is_of_database(error) and (damage := damaged_record(folders, whole=True)):
            raise damage from error
        raise


def _advice_on_damage(file: Path) -> str:
    lost = _LOST.get(file.name, "events of one run")
    away = f"move it away, with {file.name}-wal if that exists"
    return f"{file} is damaged; {away}: no result is lost with it, only Dagster's {lost}"


def _is_of_database(error: BaseException) -> bool:
    """Whether a fault of a database is among the causes of an error."""
    from sqlalchemy.exc import DatabaseError

    return any(isinstance(cause, DatabaseError) for cause in causes(error))
