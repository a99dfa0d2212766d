"""Files that are written whole or not at all, and stay so when the power fails."""

import os
import tempfile
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

from stoic_assets.core.errors import StoicError


class StorageError(StoicError):
    """Something could not be stored (disk full, no permission); what was stored before is whole."""


def write_whole(path: Path, content: str | Iterable[str], mode: int = 0o644) -> Path:
    """Writes UTF-8 beside `path` and renames over it; a long text may come in parts.

    Raises `StorageError`; then, as after any other error, `path` is as it was.
    """
    draft: str | None = None
    try:
        make_folder(path.parent)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.writelines([content] if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(mode)
        Path(draft).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        advice = "free space or choose another STOIC_HOME"
        raise StorageError(f"{path} cannot be written: {error.strerror}; {advice}") from None
    finally:
        if draft:
            Path(draft).unlink(missing_ok=True)
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
