"""`stoic graph`: serves the embedded graph, or stops its server."""

import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.graph.embedded_graph import embedded_graph, is_stopped, stop_embedded_graph
from stoic_assets.adapters.graph.embedded_server import GraphServer, is_running
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.options import Json
from stoic_assets.core.errors import ServiceUnreachable


def graph(
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop the running graph server, even if other commands use it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Serves the embedded graph until stopped; other commands with the same STOIC_HOME use it."""
    home = open_workplace().project.home
    if stop:
        stopped = stop_embedded_graph(home)
        if as_json:
            console.print_json({"stopped": stopped})
        else:
            console.out.print("stopped" if stopped else "not running")
        return
    with embedded_graph(home) as server:
        stopping = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stopping.set())  # whoever reads the address may stop it at once
        _announce(home, server, as_json)
        _wait_for_stop(home, server, stopping)


def _announce(home: Path, server: GraphServer, as_json: bool) -> None:
    if as_json:
        databases = {"subject": "subject", "stoic": "stoic"}
        access = {"uri": server.uri, "username": server.username, "password": server.password}
        console.print_json({**access, "databases": databases})
    else:
        console.out.print(f"{server.uri}  user {server.username}, databases subject and stoic; Ctrl-C stops it")
        console.out.print(f"password: in {home / 'graph' / 'server.json'}")


def _wait_for_stop(home: Path, server: GraphServer, stopping: threading.Event) -> None:
    """Returns once `stopping` is set or `stoic graph --stop` was called; Ctrl-C interrupts it.

    Raises `ServiceUnreachable` when the server ended otherwise: another one would have another address.
    """
    while not stopping.wait(1):
        if not is_running(server):
            if is_stopped(home):
                return
            raise ServiceUnreachable(f"the embedded graph at {server.uri} has ended; run `stoic graph` again")
