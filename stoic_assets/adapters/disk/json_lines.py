"""Files of JSON lines that only grow. Only whole lines count: a torn end, left by a killed process or a full disk, is
not read, and the next line replaces it.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from io import FileIO
from pathlib import Path
from typing import Any
from weakref import finalize

from stoic_assets.adapters.disk.files import StorageError, make_folder, remedy, sync_folder
from stoic_assets.adapters.disk.group_commit import GroupCommit


class LinesLost(StorageError):
    """Lines that were stored cannot be read any more; reading them again will fail as well."""

    says_how_to_go_on = True


def read_lines(file: Path, first_key: str | None = None) -> list[Any]:
    """The value of every whole line, or of those with this first key; nothing where there is no file.

    Raises `StorageError` for a file that cannot be read, `LinesLost` for one with a damaged line.
    """
    others = b'{"'
    start = others + first_key.encode() + b'":' if first_key else b""
    try:
        whole, _, _torn = file.read_bytes().rpartition(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}; check who may read STOIC_HOME") from None
    lines = enumerate(whole.split(b"\n"), 1)
    # What begins like no line, as after a crash that left zeros, may have been one of those that are asked for.
    wanted = (each for each in lines if each[1] and (each[1].startswith(start) or not each[1].startswith(others)))
    return [_value(line, f"{file}:{number}") for number, line in wanted]


def _value(line: bytes, place: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:  # no JSON, or no UTF-8
        raise LinesLost(f"{place} is damaged; restore the file from a backup, or begin again") from None


class JsonLines:
    """Writes to one file, which no other process writes to meanwhile. Lines of several writers keep their order.

    The file is closed with the last reference to this object.
    """

    def __init__(self, file: Path) -> None:
        self._lines = _OpenFile(file)
        self._group = GroupCommit(self._lines.sync)

    def write(self, value: Any) -> None:
        """Adds one line, which survives the end of this process. Raises `StorageError`; then it was not added."""
        # In ASCII, which can encode any text: UTF-8 cannot encode half of a surrogate pair.
        self._lines.write(json.dumps(value).encode("ascii") + b"\n")

    async def sync(self) -> None:
        """Returns when all lines so far would survive a power cut. Raises `StorageError`."""
        await self._group.add(None)

    async def append(self, value: Any) -> None:
        """Adds one line, and returns when it and all before it would survive a power cut. Raises `StorageError`."""
        self.write(value)
        await self.sync()


class _OpenFile:
    """The file, opened at the first use.

    An object of its own, to which nothing that it knows refers: in a cycle it would stay open until garbage is
    collected, and then for good where `uncollected` has exempted it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def write(self, line: bytes) -> None:
        with self._explained():
            end = self._book.seek(0, os.SEEK_END)
            try:
                _write_all(self._book, line)
            except OSError:
                with suppress(OSError):  # the first error is the one to report
                    self._book.truncate(end)
                raise

    def sync(self, _waiting: Sequence[None]) -> None:
        with self._explained():
            getattr(os, "fdatasync", os.fsync)(self._book.fileno())  # macOS does not have the first

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            advice = f"{remedy(error)}, then `stoic eval --resume`, or `stoic regrade` again"
            raise StorageError(f"{self._file} cannot be written: {error.strerror}; {advice}") from None

    @cached_property
    def _book(self) -> FileIO:
        make_folder(self._file.parent)
        book = FileIO(self._file, "a+b")
        finalize(self, book.close)
        sync_folder(self._file.parent)
        _drop_torn_end(book)
        return book


def _write_all(book: FileIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[book.write(rest) :]


def _drop_torn_end(book: FileIO) -> None:
    if not book.seek(0, os.SEEK_END):
        return
    book.seek(-1, os.SEEK_END)
    if book.read(1) != b"\n":
        book.seek(0)
        book.truncate(book.read().rfind(b"\n") + 1)
