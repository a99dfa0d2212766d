import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stoic_assets.adapters.process import process_identity
from stoic_assets.adapters.process.process_identity import end_process, processes_with, start_time

WAYS = [process_identity._start_time_from_proc, process_identity._start_time_from_ps]


@pytest.mark.parametrize("way", WAYS)
def test_a_running_process_has_one_start_time_and_an_ended_one_none(way):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        first = way(child.pid)
        assert first
        assert way(child.pid) == first
        child.kill()
        while way(child.pid):  # a zombie now, since nobody has waited for it
            time.sleep(0.01)
        assert os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert way(child.pid) is None


def test_processes_are_found_by_a_whole_argument():
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("needs /proc to see the arguments of a process")
    command = [sys.executable, "-c", "print(flush=True); input()", "of=/a b"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline()
        assert processes_with("of=/a b") == [child.pid]
        assert processes_with("of=/a") == []
        child.communicate(b"\n")
    assert processes_with("of=/a b") == []


def test_a_process_is_asked_to_end_and_then_made_to(monkeypatch):
    monkeypatch.setattr(process_identity, "_GRACE_SECONDS", 0.3)
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); input()"
    for code, last in (("print(flush=True); input()", signal.SIGTERM), (stubborn, signal.SIGKILL)):
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            end_process(child.pid, start_time(child.pid))
            assert child.wait(timeout=5) == -last


def test_a_process_that_is_done_is_not_waited_for():
    stubborn = "import signal; signal.signal(signal.SIGTERM, lambda *_: print(flush=True)); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", stubborn], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        asked = time.monotonic()
        end_process(child.pid, start_time(child.pid), is_done=lambda: bool(child.stdout.readline()))
        assert child.wait(timeout=5) == -signal.SIGKILL
        assert time.monotonic() - asked < process_identity._GRACE_SECONDS


def test_another_process_of_the_same_id_is_left_alone():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        end_process(child.pid, "another start")
        assert start_time(child.pid)
        child.kill()
