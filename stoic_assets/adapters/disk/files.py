"""Files that are written whole or not at all, and survive a power cut; devices and pipes that users name as files."""

import errno
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import takewhile
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import TypeVar

from stoic_assets.core.errors import ConfigurationError, StoicError

T = TypeVar("T")
_ABANDONED_SECONDS = 3_600


class StorageError(StoicError):
    """Something could not be stored (disk full, no permission); what was stored before is intact."""


def read_stored(path: Path, parse: Callable[[bytes], T], advice: str) -> T | None:
    """The result of `parse` for a file that Stoic Eval wrote; None where there is none.

    Raises `ConfigurationError` where it cannot be read or parsed: the path, followed by `advice`.
    """
    try:
        return parse(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):  # pydantic's ValidationError is one
        raise ConfigurationError(f"{path} {advice}") from None


def remedy(refusal: OSError) -> str:
    """Says what to do about a disk that refused a write."""
    if refusal.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "free space"
    return "make it writable" if refusal.errno in (errno.EROFS, errno.EACCES, errno.EPERM) else "correct that"


def write_whole(path: Path, content: str | Iterable[str], mode: int | None = None) -> Path:
    """Writes UTF-8 to a draft next to `path` and renames it; a long text may come in parts.

    Without a `mode` the file keeps the permissions of the one that it replaces; a new one has those of the umask.
    A link stays: the file that it leads to is replaced. A device or a pipe, such as /dev/stdout, stays too.
    Raises `StorageError`; then, as after any other error, a file at `path` is unchanged.
    """
    try:
        if _is_no_file(path):
            with path.open("w", encoding="utf-8", newline="") as device:
                device.writelines(_parts(content))
        else:
            _replace(_linked(path), content, mode)
    except OSError as error:
        raise _unwritable(path, error) from None
    return path


def _is_no_file(path: Path) -> bool:
    """Whether something is there that no file can replace, such as a device."""
    return path.exists() and not path.is_file()


def _linked(path: Path) -> Path:
    """The path that a link leads to, or `path` itself if it is no link."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _replace(path: Path, content: str | Iterable[str], mode: int | None) -> None:
    with _draft(path, content, mode) as draft:
        draft.replace(path)
        sync_folder(path.parent)


def _parts(content: str | Iterable[str]) -> Iterable[str]:
    return [content] if isinstance(content, str) else content


def _unwritable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path} cannot be written: {error.strerror}; {remedy(error)}, or write to another place")


def check_writable(*files: Path | None) -> None:
    """Raises `StorageError` if a file could not be written, before anything is paid for what it shall hold.

    Nothing is left behind, and what is there stays.
    """
    for file in filter(None, files):
        try:
            _try_to_write(file)
        except OSError as error:
            raise _unwritable(file, error) from None


def _try_to_write(file: Path) -> None:
    """Raises `OSError` if the file could not be written."""
    if not _is_no_file(file):
        folder = next((each for each in _linked(file).absolute().parents if each.exists()), file)
        tempfile.TemporaryFile(dir=folder).close()
    elif not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def _draft(path: Path, content: str | Iterable[str], mode: int | None) -> Iterator[Path]:
    """The content in a file next to `path`, synced; in any case the file is gone afterwards."""
    make_folder(path.parent)
    remove_abandoned(path.parent.glob(f".{escape(path.name)}.{'[0-9a-f]' * 8}"))
    draft = path.with_name(f".{path.name}.{token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            if mode is None and path.exists():
                os.fchmod(handle, S_IMODE(path.stat().st_mode))
            file.writelines(_parts(content))
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def remove_abandoned(drafts: Iterable[Path]) -> None:
    """Removes drafts, files or folders, in which nothing was written for an hour: whoever made them was killed.

    Younger ones may be another process's at work. One that cannot be removed stays.
    """
    for draft in drafts:
        with suppress(OSError):
            written = max(each.lstat().st_mtime for each in (draft, *draft.rglob("*")))
            if written <= time.time() - _ABANDONED_SECONDS:
                shutil.rmtree(draft) if draft.is_dir() else draft.unlink()


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents."""
    missing = list(takewhile(lambda each: not each.exists(), (folder, *folder.parents)))
    folder.mkdir(parents=True, exist_ok=True)
    for each in reversed(missing):
        sync_folder(each.parent)


def room(folder: Path) -> float:
    """The bytes that are free for us in a folder; infinite if the file system does not say, or the folder is gone."""
    try:
        disk = shutil.disk_usage(folder)
    except OSError:
        return math.inf
    return disk.free if disk.total else math.inf


def remove_stale(*files: Path | None) -> None:
    """Removes what an earlier run wrote there, so that nobody takes it for the result of this one, if this one fails.

    Raises `StorageError`, also as `check_writable` does.
    """
    check_writable(*files)
    for file in filter(None, files):
        if not file.is_file() or file.is_symlink():  # such as /dev/stdout
            continue
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{file} cannot be replaced: {error.strerror}") from None


def remove_folder(folder: Path) -> None:
    """Removes a folder with everything in it; does nothing if it does not exist.

    Raises `StorageError`; some of it may then be left: it can be called again.
    """
    try:
        while folder.exists():
            with suppress(FileNotFoundError):  # another process removed a part of it
                shutil.rmtree(folder)
    except OSError as error:
        problem = error.strerror or error.args[0]  # an OSError that Python raises itself has only a message
        raise StorageError(f"{folder} cannot be removed: {problem}; correct that, then repeat `stoic delete`") from None


def sync_folder(folder: Path) -> None:
    """Syncs the file names of a folder: the content of a synced file can still be lost with its name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
