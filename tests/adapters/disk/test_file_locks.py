import asyncio
import fcntl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.file_locks import is_locked, locked, locked_async, locked_with_children
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.core.errors import ConfigurationError, StoicError


def test_whoever_comes_second_is_told(tmp_path: Path) -> None:
    busy = ConfigurationError("somebody runs")
    with locked(tmp_path / "new" / "lock"):
        with pytest.raises(ConfigurationError, match="somebody runs"), locked(tmp_path / "new" / "lock", busy, wait=0):
            pass
        with pytest.raises(StorageError, match="another process uses"), locked(tmp_path / "new" / "lock", wait=0.01):
            pass
    with locked(tmp_path / "new" / "lock", wait=0):
        pass


def test_a_reentrant_lock_is_held_until_the_outermost_ends(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", reentrant=True):
        with locked(tmp_path / "lock", wait=0, reentrant=True):
            pass
        with pytest.raises(StorageError, match="another process uses"), locked(tmp_path / "lock", wait=0):
            pass


PARENT = """
import subprocess, sys
from pathlib import Path
from stoic_assets.adapters.disk.file_locks import locked_with_children
with locked_with_children(Path(sys.argv[1]), ValueError()) as lock:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdout=subprocess.DEVNULL, pass_fds=[lock])
    print("held", flush=True)
    child.wait()
"""


def test_a_lock_that_children_inherit_outlives_who_took_it(tmp_path: Path) -> None:
    file, busy = tmp_path / "new" / "lock", ConfigurationError("somebody runs")
    command = [sys.executable, "-c", PARENT, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "held\n"
        parent.kill()
        parent.wait()
        with pytest.raises(ConfigurationError, match="somebody runs"), locked_with_children(file, busy):
            pass
    with locked(file, wait=60), pytest.raises(ConfigurationError), locked_with_children(file, busy):  # the child ended
        pass
    with locked_with_children(file, busy), pytest.raises(StorageError), locked(file, wait=0):
        pass


@pytest.mark.parametrize("lock", [locked, locked_with_children])
def test_a_folder_that_cannot_be_made_is_named_with_what_to_do(lock: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file, problem = tmp_path / "file" / "new" / "lock", "file/new cannot be written: Not a directory; correct that"
    with pytest.raises(StorageError, match=problem), lock(file, StoicError()):
        pass


def test_whoever_waits_for_a_turn_is_told_of_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    async def in_turn() -> None:
        async with locked_async(tmp_path / "file" / "new" / "lock", list):
            pass

    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="file/new cannot be written: Not a directory; correct that"):
        asyncio.run(in_turn())


def test_whether_a_lock_is_held_can_be_asked_without_holding_it(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"):
        assert is_locked(tmp_path / "lock")
    assert not is_locked(tmp_path / "lock")
    with locked(tmp_path / "lock", wait=0):
        pass
    with pytest.raises(FileNotFoundError):
        is_locked(tmp_path / "none")


def test_whoever_looks_is_not_taken_for_the_holder_by_another_who_looks(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with (tmp_path / "lock").open("r+") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not is_locked(tmp_path / "lock")
