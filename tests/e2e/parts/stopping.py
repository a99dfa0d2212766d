"""Commands that are stopped at a moment that the test chose: while they wait for an answer that does not come."""

import signal
import subprocess
import time

from double import Double, hang
from stoic_command import Done, Stoic


def stopped_at(double: Double, kind: str, count: int, stoic: Stoic, *command: str) -> "subprocess.Popen[str]":
    """A command that waits in vain for its next answer of a kind, after it had `count` of them."""
    before = len(double.of(kind))
    double.when(kind, hang, after=count)
    process = stoic.start(*command)
    double.await_calls(kind, before + count + 1, process)
    double.behave()
    return process


def end(process: "subprocess.Popen[str]", signal_number: signal.Signals, times: int = 1) -> Done:
    """What a command left that got a signal, or several of them, one soon after the other."""
    for _ in range(times):
        process.send_signal(signal_number)
        time.sleep(0.04)
    return ended(process)


def ended(process: "subprocess.Popen[str]") -> Done:
    """What a command left, once it is over."""
    out, err = process.communicate(timeout=200)
    return Done(process.returncode, out, err)
