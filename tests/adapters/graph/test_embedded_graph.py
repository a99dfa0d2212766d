"""One server that processes share, start, leave and lose."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from embedded_servers import record, write

import stoic_assets
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.graph import embedded_graph as sharing
from stoic_assets.adapters.graph import embedded_server
from stoic_assets.adapters.graph.embedded_graph import embedded_graph, embedded_graph_ahead, rejoin, stop_embedded_graph
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.process.process_identity import start_time

pytestmark = pytest.mark.long
USER = """
import sys
from pathlib import Path
from stoic_assets.adapters.graph.embedded_graph import embedded_graph
with embedded_graph(Path(sys.argv[1])) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
"""


@contextmanager
def users(home: Path, count: int) -> Iterator[list["subprocess.Popen[str]"]]:
    """Processes that use the graph of a home until their input ends; what is left of them is killed."""
    command = [sys.executable, "-c", USER, str(home)]
    root = Path(stoic_assets.__file__).parents[1]
    started = [
        subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()
        stop_embedded_graph(home)


def leave(process: "subprocess.Popen[str]") -> None:
    process.communicate(timeout=30)
    assert process.returncode == 0


def test_processes_share_one_server_and_the_last_stops_it_whoever_was_killed(tmp_path):
    with users(tmp_path, 3) as processes:
        pids = {int(process.stdout.readline()) for process in processes}
        assert len(pids) == 1
        (pid,) = pids
        for process in processes[:2]:
            process.kill()
            process.wait()
        with embedded_graph(tmp_path) as server:
            assert server.pid == pid
            leave(processes[2])
            assert start_time(pid) == server.started
        assert start_time(pid) != server.started
        assert not (tmp_path / "graph" / "server.json").exists()


def test_the_server_of_a_starter_that_was_killed_serves_the_next(tmp_path):
    log = tmp_path / "graph" / "server.log"
    with users(tmp_path, 1) as processes:
        while not (log.exists() and log.read_text()):
            time.sleep(0.005)
        processes[0].kill()
        half_started = record(tmp_path)
        assert half_started["uri"] == ""
        with embedded_graph(tmp_path) as server:
            assert server.pid == half_started["pid"]
            assert write(server, "RETURN 1 AS n") == [{"n": 1}]
        assert start_time(server.pid) != server.started


KILLED_BEFORE_THE_RECORD = """
import os, signal, sys
from pathlib import Path
from stoic_assets.adapters.graph import embedded_graph
embedded_graph._record = lambda folder, server: (print(server.pid, flush=True), os.kill(os.getpid(), signal.SIGKILL))
embedded_graph.embedded_graph(Path(sys.argv[1])).__enter__()
"""


def test_a_starter_that_is_killed_before_it_has_recorded_its_server_leaves_none(tmp_path):
    command = [sys.executable, "-c", KILLED_BEFORE_THE_RECORD, str(tmp_path)]
    killed = subprocess.run(command, cwd=Path(stoic_assets.__file__).parents[1], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL
    with embedded_graph(tmp_path) as server:
        assert start_time(int(killed.stdout)) is None
        assert write(server, "RETURN 1 AS n") == [{"n": 1}]


def test_a_server_that_cannot_be_recorded_is_not_begun(tmp_path, monkeypatch):
    held_back: list[GraphServer] = []

    def refuse(_: Path, server: GraphServer) -> None:
        held_back.append(server)
        raise StorageError("the disk is full")

    monkeypatch.setattr(sharing, "_record", refuse)
    with pytest.raises(StorageError), embedded_graph(tmp_path):
        pass
    deadline = time.monotonic() + 5
    while embedded_server.is_running(held_back[0]):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_server_that_was_started_ahead_is_the_one_that_is_used_and_runs_on_between_uses(tmp_path):
    with embedded_graph_ahead(tmp_path):
        started = record(tmp_path)
        for _ in range(2):
            with embedded_graph(tmp_path) as server:
                assert (server.pid, server.started) == (started["pid"], started["started"])
                assert write(server, "RETURN 1 AS n") == [{"n": 1}]
    assert start_time(server.pid) != server.started


def test_a_server_that_died_is_replaced_and_keeps_its_data(tmp_path, monkeypatch):
    monkeypatch.setenv("LANG", "C")  # which says nothing of the names of folders
    home = tmp_path / "Stoä"
    with embedded_graph(home) as first:
        assert rejoin(home, Event()) == first
        write(first, "CREATE (:Kept {n: 5})")
        os.kill(first.pid, signal.SIGKILL)
        second = rejoin(home, Event())
        assert second.pid != first.pid
        assert write(second, "MATCH (k:Kept) RETURN k.n AS n") == [{"n": 5}]
    assert start_time(second.pid) != second.started


def test_a_recycled_process_id_is_left_alone(tmp_path):
    (tmp_path / "graph").mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as innocent:
        server = GraphServer(innocent.pid, "another start", "bolt://127.0.0.1:1", "root", "p", "observer", "p", "")
        sharing._record(tmp_path / "graph", server)
        assert not stop_embedded_graph(tmp_path)
        assert start_time(innocent.pid)
        innocent.communicate(b"\n")
    assert sharing._recorded(tmp_path / "graph") is None


def test_a_copy_of_a_home_neither_joins_nor_stops_the_server_of_the_original(tmp_path):
    original, copy, renamed = tmp_path / "original", tmp_path / "copy", tmp_path / "renamed"
    with embedded_graph(original) as server:
        write(server, "CREATE (:Kept {n: 5})")
        shutil.copytree(original, copy)
        assert not stop_embedded_graph(copy)
        with embedded_graph(copy) as other:
            assert other.pid != server.pid
            write(other, "MATCH (k:Kept) DELETE k")
        assert not (copy / "graph" / "server.json").exists()
        original.rename(renamed)
        original.symlink_to(renamed)
        assert rejoin(original, Event()) == rejoin(renamed, Event()) == server
        assert write(server, "MATCH (k:Kept) RETURN k.n AS n") == [{"n": 5}]


def test_a_home_that_is_moved_under_the_server_of_a_killed_user_loses_nothing(tmp_path):
    home, moved = tmp_path / "home", tmp_path / "moved"
    with users(home, 1) as [user]:
        user.stdout.readline()
        user.kill()
        user.wait()
        home.rename(moved)
        with embedded_graph(moved) as server:
            write(server, "CREATE (:FirstOfItsKind {n: 5})-[:NEW]->(:SecondOfItsKind)")
        with embedded_graph(moved) as server:
            found = write(server, "MATCH (f:FirstOfItsKind)-[:NEW]->(:SecondOfItsKind) RETURN f.n AS n")
    assert found == [{"n": 5}]
    assert not home.exists()


@pytest.mark.parametrize("text", ["", "{", '{"pid": 1}', "[]", '{"folder": [1, 2], "pid": 1}'])
def test_a_record_that_cannot_be_read_counts_as_none(tmp_path, text):
    (tmp_path / "server.json").write_text(text)
    assert sharing._recorded(tmp_path) is None


def test_stopping_ends_the_server_under_its_users(tmp_path):
    assert not stop_embedded_graph(tmp_path)
    assert not (tmp_path / "graph").exists()
    with embedded_graph(tmp_path) as server:
        assert stop_embedded_graph(tmp_path)
        assert start_time(server.pid) != server.started
        assert not stop_embedded_graph(tmp_path)
