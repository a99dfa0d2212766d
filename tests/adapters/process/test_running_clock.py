"""For a process that is stopped for a while, no time passes: what it waits for is not late."""

import asyncio
import signal
import subprocess
import sys
import time

import pytest

from stoic_assets.adapters.process import running_clock
from stoic_assets.adapters.process.interrupts import run_async

WAITS = """
import asyncio
from stoic_assets.adapters.process import running_clock
from stoic_assets.adapters.process.interrupts import run_async

running_clock.STOPPED_FROM = 0.3

async def waits():
    clock = asyncio.get_running_loop().time
    began = clock()
    print("waits", flush=True)
    async with asyncio.timeout(1):
        await asyncio.sleep(0.5)
    return clock() - began

print(run_async(waits()))
"""


def test_a_stopped_process_is_late_for_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.2)
        process.send_signal(signal.SIGCONT)
        assert 0.5 <= float(process.stdout.readline()) < 1


def test_a_loop_that_was_kept_from_its_work_is_late_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_clock, "STOPPED_FROM", 0.1)

    async def waits() -> bool:
        async with asyncio.timeout(0.5) as limit:
            asyncio.get_running_loop().call_soon(time.sleep, 0.7)
            await asyncio.sleep(0.05)
        return limit.expired()

    assert not run_async(waits())


def test_what_is_waited_for_counts_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_clock, "WAKES_EVERY", 0.02)

    async def waits() -> float:
        clock = asyncio.get_running_loop().time
        began = clock()
        await asyncio.sleep(0.2)
        return clock() - began

    assert run_async(waits()) >= 0.2
