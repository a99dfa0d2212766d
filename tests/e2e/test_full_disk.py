"""A disk that fills or cannot be written: nothing that was answered is lost."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agents import EmbabelAgent
from model_server import ModelServer
from stoic_command import TASKS, Stoic

pytestmark = pytest.mark.long


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own for STOIC_HOME."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_a_disk_that_fills_loses_nothing(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent, small_disk: Path
) -> None:
    stoic.env["STOIC_HOME"] = str(small_disk)
    stoic.job(tasks=TASKS, maxTurns=20)
    model.lines = ("What is the capital of France? " * 500, "A poem, please.")  # more than the rest of a page holds
    agent.when("message", lambda _: _fill(small_disk / "filler"), times=1, after=1)  # before it answers

    full = stoic("eval", code=2)
    assert f"stoic: {small_disk}" in full.line
    assert "cannot be written: " in full.line
    assert "free space" in full.line
    (small_disk / "filler").unlink()
    agent.calls.clear()

    [trial] = stoic("eval", "--resume", "--json").document["trials"]

    assert (trial["outcome"], trial["turns"]) == ("signed_off", 7)
    sent = [text.strip() for text in agent.told()]
    assert sent == [line.strip() for line in model.lines]  # what was answered is kept, the message in flight goes again


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while filler.write(b"0" * size):
                    pass
            except OSError:
                continue


def test_a_home_that_cannot_be_written_is_said_at_once(stoic: Stoic, small_disk: Path, agent: EmbabelAgent) -> None:
    stoic.job()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = stoic("eval", code=2, STOIC_HOME=str(small_disk / "home"))
    assert done.line.endswith("cannot be written (Read-only file system); set STOIC_HOME to a folder that can")
    done = stoic("eval", code=2, STOIC_HOME=str(small_disk))
    assert "cannot be written" in done.line
    assert "nothing was evaluated yet" in stoic("list", STOIC_HOME=str(small_disk)).out
    assert agent.calls == []
    assert list(small_disk.iterdir()) == []
