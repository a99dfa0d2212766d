"""A process that is stopped for a while, as by Ctrl-Z, takes no healthy server for one that hangs."""

import os
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from stoic_assets.adapters.graph import embedded_graph, embedded_server
from stoic_assets.adapters.graph.embedded_server import GraphServer

URI = "bolt://127.0.0.1:7"


def server(uri: str) -> GraphServer:
    """A server with the id of this process, which was started at another time."""
    return GraphServer(os.getpid(), "at another time", uri, "root", "p", "observer", "p", "")


def test_a_server_that_others_use_is_asked_again_before_it_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [False, True]
    monkeypatch.setattr(embedded_graph, "_started", lambda _: server(URI))
    monkeypatch.setattr(embedded_graph, "_stop", lambda _: pytest.fail("ended"))
    monkeypatch.setattr(embedded_server, "answers", lambda *_: answers.pop(0))
    assert embedded_graph._running(tmp_path, Event()) == server(URI)


def test_no_time_passes_for_a_server_that_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def stopped(_: float) -> None:
        now[0] += 100
        (tmp_path / "server.log").write_text("Listening for incoming BOLT connections on 127.0.0.1:7 (protocol)")

    monkeypatch.setattr(embedded_server, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=stopped))
    monkeypatch.setattr(embedded_server, "is_running", lambda _: True)
    monkeypatch.setattr(embedded_server, "answers", lambda *_, **__: True)
    assert embedded_server.await_ready(server(""), tmp_path, Event()).uri == URI
