"""Files of JSON lines that only grow. A line counts when it is whole: the torn end that a killed process or a full disk
left is not read, and the next line takes its place.
"""

import json
import os
from pathlib import Path
from typing import IO, Any

from stoic_assets.adapters.files import StorageError


def read_lines(file: Path) -> list[Any]:
    """The value of every whole line; nothing where there is no file."""
    if not file.exists():
        return []
    whole, _, _torn = file.read_bytes().rpartition(b"\n")
    return [json.loads(line) for line in whole.split(b"\n") if line]


def append_line(file: Path, value: Any) -> None:
    """Adds one line, which outlives this process. Raises `StorageError`; then no line was added."""
    # In ASCII: half of a surrogate pair, which a model can answer with, has no other form.
    line = json.dumps(value).encode("ascii") + b"\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a+b") as book:
            _drop_torn_end(book)
            book.write(line)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}; free space, then --resume") from None


def _drop_torn_end(book: IO[bytes]) -> None:
    if not book.seek(0, os.SEEK_END):
        return
    book.seek(-1, os.SEEK_END)
    if book.read() != b"\n":
        book.seek(0)
        book.truncate(book.read().rfind(b"\n") + 1)
