"""What Ctrl-C does before a command begins."""

import os
import signal
import subprocess
import sys

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
command_line.command_line = lambda _: lambda **_: print(signal.getsignal(signal.SIGINT).__name__)
main.main()
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_an_interrupt_while_modules_are_imported_ends_without_a_word() -> None:
    ended = python(IMPORTING)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


def test_a_command_that_began_is_interrupted_by_an_exception() -> None:
    assert python(BEGUN).stdout == f"{signal.default_int_handler.__name__}\n"


def test_what_ignores_interrupts_goes_on_doing_so() -> None:
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{IMPORTING}"
    ended = subprocess.run([sys.executable, "-c", ignoring, "--version"], capture_output=True, text=True)
    assert ended.returncode == os.EX_OK
