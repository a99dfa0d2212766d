"""Which runs of Dagster's code servers are active: each holds the lock on a file of its own until its process ends.

The system frees such a lock however a process ends, and shows it on every machine that shares the folder. A process id
means nothing elsewhere: other machines and containers count their own, and after a restart another process may have it.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stoic_assets.adapters.disk.file_locks import is_locked, locked


@contextmanager
def at_work(home: Path, run_id: str) -> Iterator[None]:
    """While the block runs, the run counts as active. Raises `StorageError` where the home cannot be written.

    The file stays: the block also ends when Dagster could not record how the run ended.
    """
    with locked(_folder(home) / run_id):
        yield


def remembered_runs(home: Path) -> list[str]:
    """The ids of the runs that are or were active, until `forget`."""
    return sorted(file.name for file in _folder(home).glob("*"))


def is_at_work(home: Path, run_id: str) -> bool:
    """Whether the process of one of those runs is still there, on any machine."""
    return is_locked(_folder(home) / run_id)


def runs_at_work(home: Path) -> list[str]:
    """The ids of the runs whose process is there."""
    return [run_id for run_id in remembered_runs(home) if is_at_work(home, run_id)]


def is_served(path: str) -> bool:
    """Whether a code server may still listen on the socket of this path, by which it was asked to begin a run."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except OSError:  # it is busy, or not to be reached from here
            pass
    return True


def forget(home: Path, run_id: str) -> None:
    """Removes the file of a run whose end Dagster has recorded."""
    (_folder(home) / run_id).unlink(missing_ok=True)


def _folder(home: Path) -> Path:
    return home / "locks" / "runs"
