"""Where the `stoic` command begins. Nothing that takes time is imported before Ctrl-C is seen to."""

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended (128 + SIGINT)."""


def main() -> None:
    """Runs the command that was typed. Until it begins, Ctrl-C ends the program at once: nothing is at work yet."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # in the background it may be ignored
        signal.signal(signal.SIGINT, leave)
    try:
        from stoic_assets.cli.command_line import run

        run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said; Python would tell of a Ctrl-C while it leaves


def leave(_signal: int, _frame: FrameType | None) -> None:
    """Ends the program without a word; an exception would be told as a fault of whatever is being imported."""
    os._exit(INTERRUPTED)
