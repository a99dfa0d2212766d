"""An embedded server that does not come up says why."""

import time
from threading import Event

import pytest
from embedded_servers import record, write

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.graph import embedded_graph as sharing
from stoic_assets.adapters.graph import embedded_server
from stoic_assets.adapters.graph.embedded_graph import embedded_graph, embedded_graph_ahead, rejoin
from stoic_assets.adapters.process.process_identity import start_time
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

pytestmark = pytest.mark.long


def test_a_missing_package_is_said_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_server, "_PACKAGE", "no_such_package")
    with (
        pytest.raises(ConfigurationError, match=r"pip install '\.\[embedded\]'.* NEO_URI"),
        embedded_graph(tmp_path),
    ):
        pass
    assert not (tmp_path / "graph" / "server.json").exists()


def test_a_server_that_does_not_come_up_shows_the_end_of_its_log(tmp_path):
    with embedded_graph(tmp_path) as first:
        second = embedded_server.spawn(tmp_path / "graph", lambda _: None)
        told = rf"server\.log \(end the process .*`kill {first.pid}`, or set .*locked by another process"
        with pytest.raises(ServiceUnreachable, match=told) as raised:
            embedded_server.await_ready(second, tmp_path / "graph", Event())
        assert "\n" not in str(raised.value)
        assert start_time(second.pid) != second.started
        assert write(first, "RETURN 1 AS n") == [{"n": 1}]


def test_a_block_that_ends_waits_for_no_server_that_is_not_ready(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_server, "answers", lambda *_, **__: False)
    began = time.monotonic()
    with embedded_graph_ahead(tmp_path):
        started = record(tmp_path)
    assert time.monotonic() - began < embedded_server.START_SECONDS / 2
    assert start_time(started["pid"]) != started["started"]


def test_a_search_that_is_over_starts_no_server(tmp_path):
    over = Event()
    over.set()
    with pytest.raises(ServiceUnreachable, match="not needed any more"):
        rejoin(tmp_path, over)
    assert not (tmp_path / "graph" / "server.json").exists()


def test_the_end_of_a_log_is_told_without_frames_of_java(tmp_path):
    log = tmp_path / "server.log"
    log.write_text("\n".join(["java.nio.file.InvalidPathException: Stoä", *["\tat java.base/sun.nio.fs"] * 100, ""]))
    assert embedded_server._no_start(log).endswith("it ends with: java.nio.file.InvalidPathException: Stoä")
    log.write_text("")
    assert embedded_server._no_start(log).endswith("STOIC_GRAPH_URI); it is empty"), "it was killed at once"


def test_a_server_that_is_too_slow_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_server, "START_SECONDS", 0.1)
    with pytest.raises(ServiceUnreachable, match="did not start"), embedded_graph(tmp_path):
        pass
    assert not (tmp_path / "graph" / "server.json").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "graph").touch()
    with pytest.raises(StorageError, match="written: File exists; correct that"), embedded_graph(tmp_path):
        pass


def test_whoever_holds_the_gate_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sharing, "_GATE_SECONDS", 0.1)
    (tmp_path / "graph").mkdir()
    with (
        sharing._gate(tmp_path / "graph"),
        pytest.raises(ServiceUnreachable, match=r"gate\.lock"),
        embedded_graph(tmp_path),
    ):
        pass
