"""`stoic ui`: serves Dagster's web UI and runs its daemon."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.disk.file_locks import locked_with_children
from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.http.api_keys import sent_value
from stoic_assets.adapters.http.known_callers import SETTING, login_link
from stoic_assets.adapters.process.process_identity import start_time
from stoic_assets.adapters.process.runs_at_work import runs_at_work
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.child_process import child_process
from stoic_assets.cli.dagster_instance import dagster_home, open_instance, refuse_misread_folders
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.presentation.formatting import listed, plural
from stoic_assets.core.stages import PARTITION_TAG

_PATIENCE = 30.0
"""Seconds that Dagster's processes may take to end: the daemon stops its code server first."""


def ui(
    port: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=65535, show_default=False, help="Port to listen on. (default: 3000)"),
    ] = 3000
) -> None:
    """Serves Dagster's web UI for this project on loopback, and runs its daemon."""
    workplace = open_workplace()
    refuse_misread_folders(workplace)
    token = sent_value(workplace.env, SETTING)
    env = _environment(workplace, token)
    with _only_ui(workplace.project.home) as lock, _runs_told(workplace), ExitStack() as children:
        _refuse_taken(port)
        with open_instance(workplace):  # else server and daemon, started together, would both make a home's databases
            pass
        console.err.print("starting Dagster, which takes some seconds; Ctrl-C stops it")
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup has the hang-up ignored
                signal.signal(number, lambda *_: sys.exit(0))
        root = workplace.project.root
        started = [  # apart: on Ctrl-C Dagster's processes print tracebacks
            children.enter_context(child_process(command, env, _PATIENCE, root, inherited=[lock], apart=True))
            for command in _commands(workplace, port)
        ]
        _note_processes(workplace.project.home, [os.getpid(), *(process.pid for process in started)])
        try:
            _attend(started, port, _way_in(f"http://127.0.0.1:{port}", token))
        finally:
            for process in started:  # all at once: whoever kills us meanwhile leaves none behind
                process.terminate()
    raise ServiceUnreachable("Dagster's web server or daemon ended unexpectedly; see its output above for the reason")


def _environment(workplace: Workplace, token: str) -> dict[str, str]:
    """The variables of web server and daemon, and so of their code servers and runs."""
    return {
        # By itself Dagster counts a run as failed that a busy machine does not start within a minute.
        "DAGSTER_GRPC_TIMEOUT_SECONDS": "300",
        **os.environ, "DAGSTER_HOME": str(dagster_home(workplace)), "STOIC_HOME": str(workplace.project.home),
        "STOIC_WAREHOUSE": str(workplace.project.warehouse), SETTING: token,
        "DAGSTER_DISABLE_TELEMETRY": "1",  # dagster.yaml stops the collection, this the thread that would upload it
    }  # fmt: skip


def _attend(processes: Sequence["subprocess.Popen[str]"], port: int, way_in: str) -> None:
    """Says how to open the web UI once it answers, and returns when one of the processes has ended."""
    told = False
    while True:
        if not told and _answers(port):
            console.err.print(way_in)
            told = True
        if any(process.poll() is not None for process in processes):
            return
        time.sleep(0.5)


def _answers(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _way_in(url: str, token: str) -> str:
    """How to open the web UI. Only a terminal is shown the token: other output may be kept."""
    if not token:
        return f"Dagster on {url}; Ctrl-C stops it"
    if sys.stderr.isatty():
        return f"Dagster on {login_link(url, token)} (the link logs your browser in); Ctrl-C stops it"
    link = login_link(url, "VALUE")
    return f"Dagster on {url}, for any user with the value of {SETTING} as password, or on {link}; Ctrl-C stops it"


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


@contextmanager
def _only_ui(home: Path) -> Iterator[int]:
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
def _runs_told(workplace: Workplace) -> Iterator[None]:
    """Names at the end the runs that go on unattended: their code server stays until they have ended."""
    try:
        yield
    finally:
        if left := runs_at_work(workplace.project.home):
            named = f"{plural(len(left), 'run')} still at work: {listed(_names(workplace, left))}"
            console.err.print(f"{named}; start `stoic ui` again to watch or terminate any")


def _names(workplace: Workplace, run_ids: Iterable[str]) -> list[str]:
    """The partition of each run, or its job if it has none."""
    with open_instance(workplace) as instance:
        runs = {run_id: instance.get_run_by_id(run_id) for run_id in run_ids}
    return [run.tags.get(PARTITION_TAG, run.job_name) if run else run_id for run_id, run in runs.items()]


def _note_processes(home: Path, pids: Sequence[int]) -> None:
    write_whole(home / "ui.pids", "".join(f"{pid} {start_time(pid)}\n" for pid in pids))


def _noted_processes(home: Path) -> list[str]:
    """The ids of those noted processes that still run."""
    file = home / "ui.pids"
    noted = [line.split(" ", 1) for line in file.read_text().splitlines()] if file.exists() else []
    return [pid for pid, started in noted if start_time(int(pid)) == started]


def _refuse_taken(port: int) -> None:
    """Raises `ConfigurationError` when something else listens on a port of loopback."""
    if _answers(port):
        raise ConfigurationError(
            f"port {port} is in use; end the program that listens there, or choose another port with --port"
        )
