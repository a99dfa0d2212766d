import asyncio
import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.adapters.disk import json_lines
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.disk.json_lines import JsonLines, LinesLost, read_lines

HARD = ["line\nbreak\r\n", "\u2028\u2029\x85", "😀", "\ud83d", "\x00", "é" * 10_000]


def append(file: Path, *values: Any) -> None:
    """As a process does that adds these one after the other."""

    async def each() -> None:
        lines = JsonLines(file)
        for value in values:
            await lines.append(value)

    asyncio.run(each())


def test_what_was_added_comes_back_in_order(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "down" / "lines.jsonl"
    assert read_lines(file) == []
    append(file, *({"text": value} for value in HARD))
    assert read_lines(file) == [{"text": value} for value in HARD]
    assert len(file.read_bytes().split(b"\n")) == len(HARD) + 1


def test_where_the_system_syncs_files_alone_lines_are_added_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fdatasync", raising=False)  # as on macOS
    append(tmp_path / "lines.jsonl", 1)
    assert read_lines(tmp_path / "lines.jsonl") == [1]


def test_a_line_survives_a_power_cut_once_it_was_added(tmp_path: Path, disk: Any) -> None:
    async def main() -> None:
        file = tmp_path / "deep" / "down" / "lines.jsonl"
        lines = JsonLines(file)
        for line in ("a", "b"):
            await lines.append(line)
            assert disk.keeps(file)
        lines.write("c")
        assert not disk.keeps(file)
        await lines.sync()
        assert disk.keeps(file)

    asyncio.run(main())


def test_lines_of_one_kind_are_told_by_their_first_key(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    append(file, {"call": 1}, {"trial": 2, "call": 3}, {"caller": 4}, {"call": {"call": 5}})
    assert read_lines(file, "call") == [{"call": 1}, {"call": {"call": 5}}]


@pytest.mark.parametrize(
    "damaged", [b'\x00{"call": 1}', b'all": 1}', b'{"call": \x00}', b'{"call": "\xff"}', b'{"call": 1']
)
def test_a_damaged_line_is_named(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_bytes(b'{"call": 1}\n' + damaged + b"\n")
    with pytest.raises(LinesLost, match=r"lines\.jsonl:2 is damaged; restore the file from a backup") as caught:
        read_lines(file, "call")
    assert caught.value.says_how_to_go_on


@pytest.mark.parametrize("torn", [b"{", b'{"a": 1}', b'{"a": "\xf0\x9f', b'"' + b"x" * 100_000])
def test_a_torn_end_is_not_read_and_gives_way_to_the_next_line(tmp_path: Path, torn: bytes) -> None:
    file = tmp_path / "lines.jsonl"
    for before in ([], [{"a": 0}, {"b": "é"}]):
        file.write_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in before) + torn)
        assert read_lines(file) == before
        append(file, {"next": 1}, {"next": 2})
        assert read_lines(file) == [*before, {"next": 1}, {"next": 2}]
        assert file.read_bytes().endswith(b"}\n")


@given(st.lists(st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=4), max_size=5), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_cut_off_anywhere_holds_its_whole_lines(tmp_path: Path, values: list[Any], data: Any) -> None:
    file = tmp_path / "lines.jsonl"
    file.unlink(missing_ok=True)
    ends = [0]
    lines = JsonLines(file)
    for value in values:
        lines.write(value)
        ends.append(file.stat().st_size)
    cut = data.draw(st.integers(0, ends[-1]))
    file.touch()
    os.truncate(file, cut)
    kept = sum(end <= cut for end in ends) - 1
    JsonLines(file).write("after")
    assert read_lines(file) == [*values[:kept], "after"]


def test_a_file_that_cannot_be_read_is_not_one_without_lines(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").mkdir()
    with pytest.raises(StorageError, match=r"lines\.jsonl cannot be read: .*; check who may read STOIC_HOME"):
        read_lines(tmp_path / "lines.jsonl")


def test_a_file_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").mkdir()
    with pytest.raises(StorageError, match=r"lines\.jsonl cannot be written: .*; correct that, then `stoic") as caught:
        append(tmp_path / "lines.jsonl", 1)
    assert "\n" not in str(caught.value)
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        append(tmp_path / "file" / "lines.jsonl", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_says_so(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").symlink_to("/dev/full")
    with pytest.raises(StorageError, match="No space left on device; free space, then `stoic eval"):
        append(tmp_path / "lines.jsonl", 1)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system takes what fits, as a disk that fills does, and refuses the rest."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_of_a_line_that_fits_in_part_nothing_is_left(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    lines = JsonLines(file)
    lines.write("before")
    with files_of_at_most(100), pytest.raises(StorageError, match="cannot be written"):
        lines.write("x" * 1000)
    lines.write("after")
    assert read_lines(file) == ["before", "after"]


@pytest.mark.usefixtures("uncollected")
def test_the_file_is_closed_with_the_last_that_writes_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[FileIO] = []

    def open_file(*args: Any) -> FileIO:
        opened.append(FileIO(*args))
        return opened[-1]

    monkeypatch.setattr(json_lines, "FileIO", open_file)
    lines = JsonLines(tmp_path / "lines.jsonl")
    asyncio.run(lines.append(1))
    assert [file.closed for file in opened] == [False]
    del lines
    assert [file.closed for file in opened] == [True]
