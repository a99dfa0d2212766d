"""Telling whether a process noted earlier still runs, and ending it: its id alone may belong to another by now."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

_GRACE_SECONDS = 10.0


def start_time(pid: int) -> str | None:
    """When the process began, as text to compare with (clock ticks on Linux, else a date); None if it is not running.

    A zombie is not running.
    """
    if Path("/proc/self/stat").exists():
        return _start_time_from_proc(pid)
    return _start_time_from_ps(pid)


def end_process(pid: int, started: str) -> None:
    """Ask that very process to end, wait up to ten seconds, then kill it; nothing happens if it has gone."""
    for number, seconds in ((signal.SIGTERM, _GRACE_SECONDS), (signal.SIGKILL, _GRACE_SECONDS)):
        if start_time(pid) != started:
            return
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        _wait_for_end(pid, started, seconds)


def _wait_for_end(pid: int, started: str, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while start_time(pid) == started and time.monotonic() < deadline:
        time.sleep(0.02)


def _start_time_from_proc(pid: int) -> str | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def _start_time_from_ps(pid: int) -> str | None:
    """For systems without /proc, such as macOS."""
    command = ["ps", "-o", "state=,lstart=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    state, _, started = answer.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None
