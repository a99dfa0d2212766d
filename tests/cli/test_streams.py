"""What becomes of a command whose output nobody reads, or that cannot be stored or shown."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.cli.streams import READ_NO_FURTHER

TOLD = """
import sys
from stoic_assets.cli import command_line, console
def told(**_):
    for text in ("first", "second"):
        console.err.print(text)
        print(text, file=sys.stderr)
    console.print_json("done")
    raise SystemExit(3)
command_line.command_line = lambda _: told
command_line.run()
"""
REFUSED = """
from stoic_assets.cli import command_line
from stoic_assets.core.errors import ConfigurationError
def refused(**_):
    raise ConfigurationError("no")
command_line.command_line = lambda _: refused
command_line.run()
"""
ODD = """
from stoic_assets.cli import command_line, console
def odd(**_):
    console.out.print("a \N{MINUS SIGN}0.29 \N{EN DASH}", end=" ")
    console.out.print("\N{HORIZONTAL ELLIPSIS} \N{PLUS-MINUS SIGN}0 \N{GREEK SMALL LETTER PI}")
    console.print_json("a \N{MINUS SIGN} b")
command_line.command_line = lambda _: odd
command_line.run()
"""
MORE = ("schema", "--help", "list --help", "release")
COMMAND = "from stoic_assets.cli import main; main.main()"
LONG = pytest.mark.long
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")


def python(code: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([sys.executable, "-c", code, *arguments], text=True, **streams)


@pytest.fixture
def unread() -> Iterator[int]:
    """A pipe whose reader went away."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@full
@pytest.mark.parametrize("command", [["schema"], pytest.param(["list", "--json"], marks=LONG)])
def test_a_full_disk_behind_the_output_is_one_line(command: list[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as nowhere:
        ended = python(COMMAND, *command, stdout=nowhere, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (2, "stoic: the output cannot be written: no space left on device\n")


@pytest.mark.parametrize(
    "command", [["list", "--json"], *(pytest.param(each.split(), marks=LONG) for each in MORE)]
)
def test_a_reader_that_went_away_is_no_gate_that_says_no(command: list[str], unread: int, tmp_path: Path) -> None:
    ended = python(COMMAND, *command, stdout=unread, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (READ_NO_FURTHER, "")


def test_nobody_has_to_read_the_progress(unread: int) -> None:
    ended = python(TOLD, stderr=unread)
    assert (ended.returncode, ended.stdout) == (3, '"done"\n')
    assert python(REFUSED, stderr=unread).returncode == 2


@full
def test_progress_that_cannot_be_stored_decides_nothing() -> None:
    with Path("/dev/full").open("w") as nowhere:
        ended = python(TOLD, stderr=nowhere)
        assert (ended.returncode, ended.stdout) == (3, '"done"\n')
        assert python(REFUSED, stderr=nowhere).returncode == 2


def test_an_output_that_has_not_every_letter_gets_the_others_and_what_is_like_them() -> None:
    ended = python(ODD, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.stdout.splitlines() == ["a -0.29 - ... ~0 ?", '"a \\u2212 b"']
