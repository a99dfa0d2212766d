"""`stoic graph`: how it ends."""

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Event

import pytest

from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.process.process_identity import start_time
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import console, graph
from stoic_assets.core.errors import ServiceUnreachable


@pytest.fixture
def home(workplace: Workplace, in_project: Path) -> Path:
    """Of the project that is the current one."""
    return workplace.project.home


@pytest.mark.parametrize("stopped", [True, False])
def test_a_graph_that_ends_by_itself_is_told(home: Path, stopped: bool) -> None:
    (home / "graph").mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        began = start_time(process.pid) or ""
        server = GraphServer(process.pid, began, "bolt://127.0.0.1:7", "root", "secret", "observer", "secret", "")
        process.kill()
    if stopped:
        graph._wait_for_stop(home, server, Event())
    else:
        (home / "graph" / "server.json").write_text("{}")
        ended = r"graph at bolt://127\.0\.0\.1:7 has ended; run `stoic graph` again"
        with pytest.raises(ServiceUnreachable, match=ended):
            graph._wait_for_stop(home, server, Event())


def test_a_graph_may_be_stopped_as_soon_as_its_address_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = GraphServer(os.getpid(), "", "bolt://127.0.0.1:7", "root", "secret", "observer", "secret", "")
    monkeypatch.setattr(graph, "embedded_graph", lambda _: nullcontext(server))
    monkeypatch.setattr(console, "print_json", lambda _: signal.raise_signal(signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("the signal is not heard yet"))
    try:
        graph.graph(as_json=True)
    finally:
        signal.signal(signal.SIGTERM, before)
