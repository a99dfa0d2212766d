"""No process is left behind: neither by a fault nor by one that does not listen."""

import os
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from stoic_assets.cli.child_process import UNINTERRUPTED, child_process

SLEEP = "import time; print('up', flush=True); time.sleep(60)"
SLEEPS = [sys.executable, "-c", SLEEP]
DEAF = [sys.executable, "-c", f"import signal; signal.signal(15, signal.SIG_IGN); {SLEEP}"]


@pytest.mark.parametrize(("command", "signal"), [(SLEEPS, 15), (DEAF, 9)])
def test_it_ends_with_the_block_whether_it_listens_or_not(command: list[str], signal: int) -> None:
    began = time.monotonic()
    with child_process(command, os.environ, patience=0.5, tied=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        assert process.poll() is None
    assert process.returncode == -signal
    assert time.monotonic() - began < 20


def test_a_fault_ends_all_that_were_started() -> None:
    started: list[subprocess.Popen[str]] = []
    with pytest.raises(FileNotFoundError):
        _start_all([DEAF, SLEEPS, ["/no/such/program"]], started)
    assert [child.returncode for child in started] == [-9, -15]


def _start_all(commands: list[list[str]], started: list["subprocess.Popen[str]"]) -> None:
    with ExitStack() as children:
        for command in commands:
            child = children.enter_context(child_process(command, os.environ, patience=0.5, tied=True))
            assert child.stdout is not None
            child.stdout.readline()
            started.append(child)


@pytest.mark.parametrize("apart", [True, False])
def test_one_that_is_apart_has_a_group_of_its_own(apart: bool) -> None:
    with child_process(SLEEPS, os.environ, patience=5, tied=True, apart=apart) as process:
        assert (os.getpgid(process.pid) == process.pid) is apart


def test_an_uninterrupted_one_does_not_hear_ctrl_c() -> None:
    command = [*UNINTERRUPTED, sys.executable, "-c", "import signal; print(signal.getsignal(signal.SIGINT).name)"]
    with child_process(command, os.environ, patience=5, tied=True) as process:
        assert process.communicate() == ("SIG_IGN\n", None)


LISTENS = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read(); sys.exit('ended')"]
PARENT = f"""
import os, signal
from stoic_assets.cli.child_process import child_process
with (
    child_process({LISTENS!r}, os.environ, patience=5, tied=True) as one,
    child_process({LISTENS!r}, os.environ, patience=5, tied=True) as other,
):
    print(one.stdout.readline(), other.stdout.readline(), flush=True)
    signal.pause()
"""


def test_those_that_are_tied_hear_of_our_end_even_if_we_are_killed() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=pipe, stderr=pipe, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        parent.kill()
        _, said = parent.communicate(timeout=30)  # when nobody holds the pipe any more
    assert said.count("ended") == 2


def test_one_that_has_ended_keeps_its_exit_code() -> None:
    with child_process([sys.executable, "-c", "raise SystemExit(7)"], os.environ, patience=5) as process:
        process.wait(20)
    assert process.returncode == 7
