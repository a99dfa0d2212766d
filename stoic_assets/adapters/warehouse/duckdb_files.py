"""DuckDB files and folders for people: written whole or not at all, and not again while they are still up to date."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.disk.files import StorageError, remove_abandoned, write_whole
from stoic_assets.adapters.disk.paths import refuse_misread
from stoic_assets.adapters.warehouse.duckdb_engine import open_engine

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DRAFTS = ".draft-*"
"""The folders of drafts, next to what they replace."""


def mark(file: Path, views: Mapping[str, str]) -> None:
    """Records next to a file which views it contains. Raises `StorageError`."""
    write_whole(_mark_of(file), json.dumps(_state(file, views)))


def still_holds(file: Path, views: Mapping[str, str]) -> bool:
    """Whether a file was marked with these views, and not written to since."""
    if _log_of(file).exists():
        return False
    with suppress(OSError):
        return _marked(file) == _state(file, views)
    return False


def has_other_views(file: Path, views: Mapping[str, str]) -> bool:
    """Whether a file was marked with other views: by another release, or before it was moved or copied here."""
    return bool(marked := _marked(file)) and marked.get("views") != _digest(views)


@contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """A path for a DuckDB file, or a folder, that replaces `target` once it is complete.

    It has the same stem, since DuckDB names the catalog after it, and is in a temporary folder next to `target`. A
    write-ahead log of the old file would be replayed into the new one, so it is removed. So are drafts of the same
    `target` that killed processes left (`remove_abandoned`).
    """
    import duckdb

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(draft.parent for draft in target.parent.glob(f"{DRAFTS}/{escape(target.name)}"))
        with tempfile.TemporaryDirectory(prefix=DRAFTS.removesuffix("*"), dir=target.parent) as folder:
            draft = Path(folder) / target.name
            yield draft
            if draft.is_file():
                _log_of(target).unlink(missing_ok=True)
            draft.replace(target)
    except (OSError, duckdb.Error) as error:
        # Not all of it: Python names the draft, and DuckDB goes on with the SQL.
        why = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        raise StorageError(f"cannot write {target}: {why}; check free space and permissions") from error


@contextmanager
def new_database(target: Path) -> Iterator["DuckDBPyConnection"]:
    """An engine on a new DuckDB file, which replaces `target` at the end of the block.

    Raises `StorageError` when the disk refuses, and `ConfigurationError` for a folder whose name DuckDB misreads; then
    `target` is as it was.
    """
    folder = Path(os.path.abspath(target.parent))  # noqa: PTH100 - DuckDB sees links, but no `..`
    refuse_misread("DuckDB", r"\?", folder, "name a file in another one")  # see `_log_of`
    with drafted(target) as draft, open_engine(draft, threads=None) as engine:
        yield engine
        engine.execute("checkpoint")  # closing makes one too, but silently loses everything when the disk is full


def _log_of(file: Path) -> Path:
    """The write-ahead log of a DuckDB file; DuckDB puts `.wal` before the first question mark of the whole path."""
    before, question_mark, after = file.name.partition("?")
    return file.with_name(f"{before}.wal{question_mark}{after}")


def _mark_of(file: Path) -> Path:
    return file.with_name(f".{file.name}.json")


def _marked(file: Path) -> dict[str, Any]:
    """What was recorded of a file; empty where nothing was, or it cannot be read."""
    with suppress(OSError, ValueError):
        if isinstance(state := json.loads(_mark_of(file).read_bytes()), dict):
            return state
    return {}


def _state(file: Path, views: Mapping[str, str]) -> dict[str, Any]:
    state = file.stat()
    return {"views": _digest(views), "bytes": state.st_size, "written_ns": state.st_mtime_ns}


def _digest(views: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(views).encode()).hexdigest()
