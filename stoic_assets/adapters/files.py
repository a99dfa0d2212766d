"""Files that are written whole or not at all, and stay so when the power fails."""

import os
import tempfile
from itertools import takewhile
from pathlib import Path

from stoic_assets.core.errors import StoicError


class StorageError(StoicError):
    """Something could not be stored (disk full, no permission); what was stored before is whole."""


def write_whole(path: Path, content: str | bytes, mode: int = 0o644) -> Path:
    """Writes beside `path` and renames over it. Raises `StorageError`; then `path` is as it was."""
    data = content.encode() if isinstance(content, str) else content
    temporary: str | None = None
    try:
        make_folder(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        advice = "free space or choose another STOIC_HOME"
        raise StorageError(f"{path} cannot be written: {error.strerror}; {advice}") from None
    return path


def make_folder(folder: Path) -> None:
    """Makes a folder, with those above it."""
    missing = list(takewhile(lambda each: not each.exists(), (folder, *folder.parents)))
    folder.mkdir(parents=True, exist_ok=True)
    for each in reversed(missing):
        sync_folder(each.parent)


def sync_folder(folder: Path) -> None:
    """Has the disk keep which names the folder holds: what was written to a file alone can be lost with its name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
