"""Starts the `stoic` command. Nothing slow is imported before Ctrl-C is handled."""

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended (128 + SIGINT)."""


def main() -> None:
    """Runs the command that was typed. Until it starts, Ctrl-C ends the program at once: nothing is running yet."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in the background it may be ignored
        signal.signal(signal.SIGINT, leave)
    try:
        from stoic_assets.cli.command_line import run

        run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all output is done; at its end Python would report a Ctrl-C


def leave(_signal: int, _frame: FrameType | None) -> None:
    """Ends the program silently; an exception would be reported as a fault of the module being imported."""
    os._exit(INTERRUPTED)
