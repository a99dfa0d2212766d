import errno
import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.files import (
    StorageError,
    check_writable,
    read_stored,
    remove_folder,
    remove_stale,
    room,
    write_whole,
)
from stoic_assets.core.errors import ConfigurationError


def test_a_text_or_its_parts_are_written_and_folders_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "file.txt"
    assert write_whole(path, "é\n") == path
    assert path.read_bytes() == "é\n".encode()
    write_whole(path, (part for part in ("a\r\n", "日")))
    assert path.read_bytes() == "a\r\n日".encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_drafts_that_killed_processes_left_go_with_the_next_write_to_the_place_after_an_hour(tmp_path: Path) -> None:
    names = {".keys[1].json.0123abcd": 0, ".keys[1].json.example": 0, ".keys.json.0123abcd": 0}
    for name, written in (names | {".keys[1].json.4567cdef": time.time() - 3_000}).items():
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (written, written))
    write_whole(tmp_path / "keys[1].json", "{}")
    kept = {".keys[1].json.example", ".keys.json.0123abcd", ".keys[1].json.4567cdef"}
    assert {path.name for path in tmp_path.iterdir()} == {"keys[1].json", *kept}


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def test_who_may_read_a_new_file_is_for_the_umask_to_say_unless_its_mode_does(
    tmp_path: Path, umask: Callable[[int], int]
) -> None:
    modes = []
    for mask in (0o022, 0o077, 0o002):
        umask(mask)
        files = [write_whole(tmp_path / f"{name}{mask}", "x", mode) for name, mode in (("a", None), ("b", 0o600))]
        modes.append([file.stat().st_mode & 0o777 for file in files])
    assert modes == [[0o644, 0o600], [0o600, 0o600], [0o664, 0o600]]


def test_a_file_that_is_written_again_may_be_read_by_whom_it_could(tmp_path: Path) -> None:
    file = write_whole(tmp_path / "own", "x", 0o600)
    assert write_whole(file, "y").stat().st_mode & 0o777 == 0o600
    assert write_whole(file, "z", 0o640).stat().st_mode & 0o777 == 0o640


def test_a_link_stays_and_the_file_that_it_leads_to_is_written(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "deep" / "target"
    link.symlink_to("deep/target")
    for content in ("first", "second"):
        check_writable(link)
        assert write_whole(link, content) == link
        assert (link.is_symlink(), target.read_text()) == (True, content)
    assert [entry.name for entry in target.parent.iterdir()] == ["target"]


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDWR)
    for place in (tmp_path / "pipe", Path(f"/dev/fd/{end}")):
        remove_stale(place)
        write_whole(place, ["é", "\n"])
        assert os.read(end, 9) == "é\n".encode()
    os.close(end)
    assert [(entry.name, entry.is_fifo()) for entry in tmp_path.iterdir()] == [("pipe", True)]


def test_only_files_of_an_earlier_run_are_removed(tmp_path: Path) -> None:
    file, folder, link = (tmp_path / name for name in ("trials.xml", "folder", "link"))
    folder.mkdir()
    link.symlink_to(write_whole(tmp_path / "target", ""))
    remove_stale(write_whole(file, "<testsuites/>"), None, tmp_path / "none", folder, link)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "link", "target"]


def test_what_could_not_be_written_is_known_before_and_nothing_is_left_by_asking(tmp_path: Path) -> None:
    file = write_whole(tmp_path / "file.xml", "kept")
    check_writable(file, tmp_path / "deep" / "down" / "file.xml", None)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.xml"]
    assert file.read_text() == "kept"
    for check in (check_writable, remove_stale):
        with pytest.raises(StorageError, match="cannot be written: Not a directory"):
            check(file / "below.xml")


def test_what_was_written_survives_a_power_cut(tmp_path: Path, disk: Any) -> None:
    path = tmp_path / "deep" / "down" / "file.txt"
    for content in ("first", "the second"):
        assert disk.keeps(write_whole(path, content))


def test_nothing_stays_open_once_it_is_written(tmp_path: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    write_whole(tmp_path / "deep" / "down" / "file.txt", "x")
    assert len(list(Path("/dev/fd").iterdir())) <= before


def test_what_was_written_is_read_or_is_not_there(tmp_path: Path) -> None:
    assert read_stored(write_whole(tmp_path / "number.json", "7"), int, "is damaged") == 7
    assert read_stored(tmp_path / "none.json", int, "is damaged") is None


@pytest.mark.parametrize("name", ["damaged.json", "folder.json", "damaged.json/file.json"])
def test_a_file_that_cannot_be_read_is_named_with_advice(tmp_path: Path, name: str) -> None:
    write_whole(tmp_path / "damaged.json", "{")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ConfigurationError) as caught:
        read_stored(tmp_path / name, int, "is damaged; remove it")
    assert str(caught.value) == f"{tmp_path / name} is damaged; remove it"


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free space"), (errno.EDQUOT, "free space"), (errno.EFBIG, "free space"),
        (errno.EROFS, "make it writable"), (errno.EIO, "correct that"),
    ],
)
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    path = write_whole(tmp_path / "file.txt", "before")

    def refuse(self: Path, target: Path) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "replace", refuse)
    told = rf"file\.txt cannot be written: {os.strerror(number)}; {advice}, or write to another place$"
    with pytest.raises(StorageError, match=told):
        write_whole(path, "after")
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.txt"]


def test_parts_that_break_off_leave_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "after"
        raise ZeroDivisionError

    path = write_whole(tmp_path / "file.txt", "before")
    with pytest.raises(ZeroDivisionError):
        write_whole(path, broken())
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.txt"]


def test_a_folder_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be written"):
        write_whole(tmp_path / "file" / "inner.txt", "x")


def test_a_folder_goes_with_all_that_is_in_it_and_may_be_gone_already(tmp_path: Path) -> None:
    write_whole(tmp_path / "kept.txt", "")
    write_whole(tmp_path / "gone" / "deep" / "file.txt", "")
    for _ in range(2):
        remove_folder(tmp_path / "gone")
        assert [entry.name for entry in tmp_path.iterdir()] == ["kept.txt"]


def test_several_may_remove_a_folder_at_once(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / "gone" / str(number)).mkdir(parents=True)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(remove_folder, [tmp_path / "gone"] * 4)) == [None] * 4
    assert not (tmp_path / "gone").exists()


def test_a_folder_that_cannot_be_removed_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(StorageError, match=r"link cannot be removed: .*symbolic link; correct that, then repeat"):
        remove_folder(tmp_path / "link")


def test_a_folder_that_is_gone_has_no_end_of_room(tmp_path: Path) -> None:
    """Its absence is the fault to report, not that its room cannot be told."""
    assert room(tmp_path / "gone") == math.inf
    assert 0 < room(tmp_path) < math.inf
