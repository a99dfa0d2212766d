"""What the first Ctrl-C does, and that those after it do nothing."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from stoic_assets.adapters.process import interrupts
from stoic_assets.adapters.process.interrupts import HeardOnce, heard_once, run_async, was_interrupted


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Those of the tests' own runner come back."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_the_first_interrupt_is_heard_and_the_next_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    signal.signal(signal.SIGINT, HeardOnce(lambda number, _: heard.append(number)))
    assert not was_interrupted()
    for _ in range(3):
        interrupt()
    assert was_interrupted()
    assert heard == [signal.SIGINT]
    monkeypatch.setattr(interrupts, "PATIENCE", -1)
    interrupt()
    assert heard == [signal.SIGINT] * 2


def test_handlers_that_take_turns_count_together() -> None:
    heard: list[str] = []
    outer = HeardOnce(lambda *_: heard.append("outer"))
    signal.signal(signal.SIGINT, outer)
    signal.signal(signal.SIGINT, heard_once(lambda *_: heard.append("inner")))
    interrupt()
    signal.signal(signal.SIGINT, heard_once(outer))
    interrupt()
    assert heard == ["inner"]
    assert outer.heard


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL, None, HeardOnce(signal.default_int_handler)])
def test_what_is_no_function_or_hears_once_already_is_left_as_it_is(handler: Any) -> None:
    assert heard_once(handler) is handler


def test_an_interrupt_counts_where_nothing_is_left_to_wait_for_and_handlers_are_given_back() -> None:
    async def stage() -> str:
        await asyncio.sleep(0)
        interrupt()  # as while the last tables are stored
        return "the end"

    def somebody_elses(*_: object) -> None:
        """As Dagster's is."""

    signal.signal(signal.SIGINT, somebody_elses)
    with pytest.raises(KeyboardInterrupt):
        run_async(stage())
    assert signal.getsignal(signal.SIGINT) is somebody_elses


def test_where_ctrl_c_is_ignored_it_is_ignored_in_asynchronous_code_too() -> None:
    async def stage() -> str:
        interrupt()
        await asyncio.sleep(0)
        return "the end"

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert run_async(stage()) == "the end"
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize("within", [HeardOnce(signal.default_int_handler), signal.default_int_handler])
def test_an_interrupt_lets_every_finally_run_however_many_follow(within: Any) -> None:
    ended: list[str] = []

    async def stage() -> None:
        try:
            asyncio.get_running_loop().call_soon(interrupt)
            await asyncio.Event().wait()
        finally:
            interrupt()
            await asyncio.sleep(0)
            interrupt()
            ended.append("in good order")

    signal.signal(signal.SIGINT, within)
    with pytest.raises(KeyboardInterrupt):
        run_async(stage())
    assert ended == ["in good order"]
    assert was_interrupted() is isinstance(within, HeardOnce)


def test_outside_of_the_main_thread_nobody_sends_an_interrupt() -> None:
    assert asyncio.run(asyncio.to_thread(run_async, asyncio.sleep(0, "done"))) == "done"


TRIPPING = """
import logging, signal, sys
from stoic_assets.adapters.process.interrupts import hear_interrupts_once

class Tripping:
    def __del__(self):
        logging.getLogger("library").error("closing failed")
        raise ValueError

hear_interrupts_once()
Tripping()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr, flush=True)
Tripping()
"""


def test_what_libraries_trip_over_is_told_until_there_was_an_interrupt() -> None:
    ended = subprocess.run([sys.executable, "-c", TRIPPING], capture_output=True, text=True)
    before, _, after = ended.stderr.partition("interrupted\n")
    assert "closing failed" in before
    assert "ValueError" in before
    assert (ended.returncode, after) == (0, "")


@pytest.mark.parametrize("number", ["SIGHUP", "SIGTERM"])
@pytest.mark.parametrize(("before", "heard"), [("SIG_DFL", b"interrupted"), ("SIG_IGN", b"went on")])
def test_who_closes_the_terminal_or_asks_to_end_interrupts_unless_that_is_ignored(
    number: str, before: str, heard: bytes
) -> None:
    code = f"""
import signal
from stoic_assets.adapters.process.interrupts import hear_interrupts_once
signal.signal(signal.{number}, signal.{before})
hear_interrupts_once()
try:
    signal.raise_signal(signal.{number})
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == heard


def test_where_ctrl_c_is_ignored_the_request_to_end_still_interrupts() -> None:
    code = """
import signal
from stoic_assets.adapters.process.interrupts import hear_interrupts_once, was_interrupted
signal.signal(signal.SIGINT, signal.SIG_IGN)
hear_interrupts_once()
signal.raise_signal(signal.SIGINT)
print("went on", was_interrupted())
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("interrupted", was_interrupted())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines() == ["went on False", "interrupted True"]
