"""Starts the `stoic` command. Nothing slow is imported before Ctrl-C is handled."""

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended (128 + SIGINT), or another of INTERRUPTS."""
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, and what has the same effect: a request to end, and a terminal that is closed."""


def main() -> None:
    """Runs the command that was typed. Until it starts, Ctrl-C ends the program at once: nothing is running yet."""
    for number in INTERRUPTS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as in the background of a script
            signal.signal(number, leave)
    try:
        from stoic_assets.cli.command_line import run

        run()
    finally:
        for number in INTERRUPTS:  # all output is done; at its end Python would report a Ctrl-C
            signal.signal(number, signal.SIG_IGN)


def leave(_signal: int, _frame: FrameType | None) -> None:
    """Ends the program silently; an exception would be reported as a fault of the module being imported."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":  # python -m stoic_assets.cli.main
    from stoic_assets.cli import main as started  # the module whose `leave` other modules know

    started.main()
