"""Immutable Parquet files `<evaluation_id>.<n>.parquet`: their names, and how one comes to be.

None is ever rewritten, since DuckDB opens a file twice and stumbles when it changes in between. A correction is a
higher n, and for each evaluation the highest counts. What the columns mean does not belong here.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from stoic_assets.adapters.files import StorageError

_NAME = re.compile(r"(?P<evaluation_id>.+)\.(?P<n>\d+)\.parquet")


def newest_files(folder: Path) -> dict[str, Path]:
    """The file that counts of every evaluation in `folder`, by evaluation id."""
    newest: dict[str, tuple[int, Path]] = {}
    for evaluation_id, n, path in _numbered(folder):
        newest[evaluation_id] = max(newest.get(evaluation_id, (n, path)), (n, path))
    return {evaluation_id: path for evaluation_id, (_, path) in newest.items()}


def write_next(folder: Path, evaluation_id: str, rows: Any) -> Path:
    """Writes an Arrow table under the evaluation's next free number and returns where.

    Raises `StorageError` when the disk does not take it; then nothing is left behind.
    """
    last = max((n for other, n, _ in _numbered(folder) if other == evaluation_id), default=0)
    return _write(folder, (f"{evaluation_id}.{n}.parquet" for n in count(last + 1)), rows)


def write_once(path: Path, rows: Any) -> None:
    """Writes an Arrow table to `path` unless a file stands there. Raises `StorageError` as `write_next` does."""
    if not path.exists():
        _write(path.parent, [path.name], rows)


def _numbered(folder: Path) -> Iterator[tuple[str, int, Path]]:
    if folder.is_dir():
        for path in folder.iterdir():
            if match := _NAME.fullmatch(path.name):
                yield match["evaluation_id"], int(match["n"]), path


def _write(folder: Path, names: Iterable[str], rows: Any) -> Path:
    """Writes whole or not at all, under the first of `names` that is free.

    The name is given by a hard link: unlike a rename it never takes the place of another writer's file.
    """
    import pyarrow.parquet as pq

    draft = folder / f".{uuid4().hex}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            pq.write_table(rows, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        return _link_to_free_name(draft, names)
    except OSError as error:
        problem = error.strerror or str(error)
        raise StorageError(
            f"cannot write into {folder}: {problem}; mend that or point STOIC_WAREHOUSE elsewhere"
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _link_to_free_name(draft: Path, names: Iterable[str]) -> Path:
    path = draft
    for name in names:
        path = draft.with_name(name)
        try:
            os.link(draft, path)
        except FileExistsError:
            continue
        break
    return path
