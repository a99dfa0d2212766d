"""What Ctrl-C does before a command begins."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stoic_assets.cli.child_process import UNINTERRUPTED
from stoic_assets.cli.main import INTERRUPTED

IMPORTING = """
import os, signal, sys
from stoic_assets.cli import main
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupted())
main.main()
"""
BEGUN = """
import signal, sys
from stoic_assets.cli import command_line, main
def command(**_):
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.raise_signal(signal.SIGINT)
        print("ended in good order")
command_line.command_line = lambda _: command
class Last:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
sys.last = Last()
main.main()
"""


def python(code: str, number: str = "SIGINT") -> subprocess.CompletedProcess[str]:
    code = code.replace("SIGINT", number)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupt_while_modules_are_imported_ends_without_a_word(number: str) -> None:
    heard = f"import signal; signal.signal(signal.{number}, signal.SIG_DFL)"  # nohup has SIGHUP ignored
    ended = python(f"{heard}\n{IMPORTING}", number)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


@pytest.mark.parametrize("ignoring", ["", "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"])
def test_where_interrupts_are_ignored_the_request_to_end_is_heard(ignoring: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", f"{ignoring}\n{BEGUN.replace('SIGINT', 'SIGTERM')}"], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "ended in good order\n", "")


def test_a_command_that_began_is_interrupted_by_an_exception_and_nothing_more_however_many_follow() -> None:
    ended = python(BEGUN)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "ended in good order\n", "")


def test_what_ignores_interrupts_goes_on_doing_so() -> None:
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{IMPORTING}"
    ended = subprocess.run([sys.executable, "-c", ignoring, "--version"], capture_output=True, text=True)
    assert ended.returncode == os.EX_OK


@pytest.mark.long
def test_these_tests_also_run_in_the_background_of_a_script_where_interrupts_are_ignored(tmp_path: Path) -> None:
    one = f"{__file__}::{test_an_interrupt_while_modules_are_imported_ends_without_a_word.__name__}[SIGINT]"
    command = [*UNINTERRUPTED, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={tmp_path}", one]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


def test_the_module_can_be_run_as_a_program() -> None:
    ended = subprocess.run([sys.executable, "-m", "stoic_assets.cli.main", "--version"], capture_output=True, text=True)
    assert ended.returncode == 0
    assert ended.stdout.startswith("stoic-eval ")
