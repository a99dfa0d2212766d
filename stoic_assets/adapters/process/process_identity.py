"""Checks whether a recorded process still runs, and ends it: its id alone may belong to another process by now."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_GRACE_SECONDS = 10.0


def start_time(pid: int) -> str | None:
    """When the process began, as text for comparison (clock ticks on Linux, else a date); None if it is not running.

    A zombie is not running.
    """
    if Path("/proc/self/stat").exists():
        return _start_time_from_proc(pid)
    return _start_time_from_ps(pid)


def end_process(pid: int, started: str, is_done: Callable[[], bool] = lambda: False) -> None:
    """Asks this very process to end, waits up to ten seconds, then kills it; nothing happens if it has gone.

    It is killed at once when it `is_done`, that is, when nothing that it still does matters.
    """
    for number, enough in ((signal.SIGTERM, is_done), (signal.SIGKILL, lambda: False)):
        if start_time(pid) != started:
            return
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        _wait_for_end(pid, started, enough)


def processes_with(argument: str) -> list[int]:
    """The processes with this argument in their command line; none on systems without /proc."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            if argument.encode() in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
    return found


def _wait_for_end(pid: int, started: str, enough: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _GRACE_SECONDS
    while start_time(pid) == started and not enough() and time.monotonic() < deadline:
        time.sleep(0.02)


def _start_time_from_proc(pid: int) -> str | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def _start_time_from_ps(pid: int) -> str | None:
    """As `start_time`, for systems without /proc, such as macOS."""
    command = ["ps", "-o", "state=,lstart=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    state, _, started = answer.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None
