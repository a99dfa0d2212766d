"""Dagster's web server and daemon as `stoic ui` runs them: one of each for a home."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from stoic_assets.adapters.disk.file_locks import locked_with_children
from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.http.known_callers import SETTING
from stoic_assets.adapters.process.process_identity import start_time
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.child_process import child_process
from stoic_assets.cli.dagster_instance import dagster_home
from stoic_assets.core.errors import ConfigurationError

_PATIENCE = 30.0
"""Seconds that Dagster's processes may take to end: the daemon stops its code server first."""


@contextmanager
def only_servers(home: Path) -> Iterator[int]:
    """Ensures that no other `stoic ui` serves this home: two daemons would start each run twice.

    Yields the descriptor that web server and daemon inherit, since they outlive a `stoic ui` that is killed.
    """
    left = _noted_processes(home)
    how = f": kill {' '.join(left)}" if left else ""
    taken = (
        f"another `stoic ui` already serves {home}, or its servers outlived it; use that one, or end its processes{how}"
    )
    with locked_with_children(home / "ui.lock", ConfigurationError(taken)) as lock:
        yield lock


@contextmanager
def running_servers(
    workplace: Workplace, port: int, token: str, lock: int
) -> Iterator[Sequence["subprocess.Popen[str]"]]:
    """Runs web server and daemon while the block runs, and yields their processes; `lock` is that of `only_servers`."""
    env, root = _environment(workplace, token), workplace.project.root
    with ExitStack() as children:
        started = [  # apart: on Ctrl-C Dagster's processes print tracebacks
            children.enter_context(child_process(command, env, _PATIENCE, root, inherited=[lock], apart=True))
            for command in _commands(workplace, port)
        ]
        _note_processes(workplace.project.home, [os.getpid(), *(process.pid for process in started)])
        try:
            yield started
        finally:
            for process in started:  # all at once: whoever kills us meanwhile leaves none behind
                process.terminate()


def answers(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _environment(workplace: Workplace, token: str) -> dict[str, str]:
    """The variables of web server and daemon, and so of their code servers and runs."""
    return {
        # By itself Dagster counts a run as failed that a busy machine does not start within a minute.
        "DAGSTER_GRPC_TIMEOUT_SECONDS": "300",
        **os.environ, "DAGSTER_HOME": str(dagster_home(workplace)), "STOIC_HOME": str(workplace.project.home),
        "STOIC_WAREHOUSE": str(workplace.project.warehouse), SETTING: token,
        "DAGSTER_DISABLE_TELEMETRY": "1",  # dagster.yaml stops the collection, this the thread that would upload it
    }  # fmt: skip


def _commands(workplace: Workplace, port: int) -> list[list[str]]:
    """The commands that start web server and daemon.

    Left out are the daemon's line for each tick of each sensor, and that its code server shuts down: it gets a new one
    every minute, and lets the old one end.
    """
    own = workplace.project.root / "workspace.yaml"
    location = ["-w", str(own)] if own.exists() else ["-m", "stoic_assets.definitions"]
    quiet = ["--log-level", "warning", "--code-server-log-level", "error"]
    return [
        [sys.executable, "-m", "stoic_assets.cli.web_server", "-h", "127.0.0.1", "-p", str(port), *location],
        [sys.executable, "-m", "stoic_assets.cli.daemon", "run", *quiet, *location],
    ]


def _note_processes(home: Path, pids: Sequence[int]) -> None:
    write_whole(home / "ui.pids", "".join(f"{pid} {start_time(pid)}\n" for pid in pids))


def _noted_processes(home: Path) -> list[str]:
    """The ids of those noted processes that still run."""
    file = home / "ui.pids"
    noted = [line.split(" ", 1) for line in file.read_text().splitlines()] if file.exists() else []
    return [pid for pid, started in noted if start_time(int(pid)) == started]
