"""Commands that serve until they are stopped: the demo agent, the embedded graph, Dagster's UI."""

import os
import signal
import socket
import sys
import threading
import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.embedded_graph import embedded_graph, is_stopped, stop_embedded_graph
from stoic_assets.adapters.file_locks import locked
from stoic_assets.adapters.loopback_guard import LOOPBACK
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.child_process import child_process
from stoic_assets.cli.options import Json
from stoic_assets.cli.partition_run import dagster_home, open_instance
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

_PATIENCE = 30.0
"""Seconds that Dagster's processes may take to end: the daemon stops its code server first."""


def agent(
    release: Annotated[str, typer.Option(help="Release of the demo agent: 1.0.0 or 1.1.0.")] = "1.0.0",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 8081,
    api_key: Annotated[str | None, typer.Option(envvar="AGENT_API_KEY", help="Key that callers must send.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; another than loopback's needs a key.")] = LOOPBACK[0],
) -> None:
    """Serves the demo agent Marcus, on loopback unless told otherwise, over the subject graph."""
    from stoic_assets.demo.service import serve

    workplace = open_workplace()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn hands the signal on when it has shut down
    with workplace.graphs() as graphs:
        serve(release, port, graphs.subject, api_key, host)


def graph(
    stop: Annotated[bool, typer.Option("--stop", help="Stop the running one, whoever uses it.")] = False,
    as_json: Json = False,
) -> None:
    """Serves the embedded graph until stopped; other commands of the same STOIC_HOME use it."""
    home = open_workplace().project.home
    if stop:
        stopped = stop_embedded_graph(home)
        if as_json:
            console.print_json({"stopped": stopped})
        else:
            console.out.print("stopped" if stopped else "not running")
        return
    with embedded_graph(home) as server:
        address = {
            "uri": server.uri,
            "username": server.username,
            "password": server.password,
            "databases": {"subject": "subject", "stoic": "stoic"},
        }
        if as_json:
            console.print_json(address)
        else:
            console.out.print(f"{server.uri}  user {server.username}, databases subject and stoic; Ctrl-C stops it")
            console.out.print(f"password: in {home / 'graph' / 'server.json'}")
        _wait_for_stop(home)


def _wait_for_stop(home: Path) -> None:
    """Returns on SIGTERM or when `stoic graph --stop` was called; Ctrl-C interrupts it."""
    told = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    while not told.wait(1):
        if is_stopped(home):
            return


def ui(port: Annotated[int, typer.Option(min=1, max=65535, help="Where to serve it.")] = 3000) -> None:
    """Dagster's web UI and daemon on this project, on loopback."""
    workplace = open_workplace()
    env = {
        **os.environ, "DAGSTER_HOME": str(dagster_home(workplace)), "STOIC_HOME": str(workplace.project.home),
        "DAGSTER_DISABLE_TELEMETRY": "1",  # dagster.yaml stops the collecting, this the thread that would upload
    }
    location = ["-m", "stoic_assets.definitions"]
    own = workplace.project.root / "workspace.yaml"
    if own.exists():
        location = ["-w", str(own)]
    commands = [
        [sys.executable, "-m", "stoic_assets.cli.web_server", "-h", "127.0.0.1", "-p", str(port), *location],
        [_beside("dagster-daemon"), "run", *location],
    ]
    with _only_ui(workplace.project.home), ExitStack() as children:
        refuse_taken(port)
        with open_instance(workplace):  # server and daemon, at once the first of a home, would both make its databases
            pass
        console.err.print(f"Dagster on http://127.0.0.1:{port}; Ctrl-C stops it")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        started = [
            children.enter_context(child_process(command, env, _PATIENCE, cwd=workplace.project.root))
            for command in commands
        ]
        while all(process.poll() is None for process in started):
            time.sleep(0.5)
    raise ServiceUnreachable("Dagster's web server or daemon ended by itself; what it wrote above says why")


def _only_ui(home: Path) -> AbstractContextManager[None]:
    """No other `stoic ui` serves this home meanwhile: two daemons would start each run twice."""
    taken = ConfigurationError(f"another `stoic ui` serves {home} already; use that one, or end it first")
    return locked(home / "ui.lock", taken, wait=0)


def refuse_taken(port: int) -> None:
    """Raises `ConfigurationError` when something else listens on a port of loopback."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise ConfigurationError(f"port {port} is taken; end what listens there, or choose another with --port")


def _beside(command: str) -> str:
    """A command of this installation, whether or not its folder is on PATH."""
    return str(Path(sys.executable).parent / command)
