"""The immutable Parquet files of a table: their names, which of them count, and how they are written.

    <table>/agent_version=<v>/<evaluation_id>.<n>.parquet   one evaluation, as it was written
    <table>/archive/<sequence>-<random>.parquet             many evaluations, merged by `compaction`

None is ever rewritten, since DuckDB opens a file twice and fails when it changes in between. A correction is a higher
n, and for each evaluation the highest counts; of equals an archive does, and of archives the newest, since the others
may be removed. An archive lists its evaluations in its footer, also those without rows. What the columns mean does not
belong here.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from glob import escape
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple
from uuid import uuid4

from stoic_assets.adapters.disk.files import StorageError, remedy, sync_folder
from stoic_assets.adapters.warehouse.damaged_files import DamagedFile
from stoic_assets.adapters.warehouse.duckdb_engine import open_engine, quoted
from stoic_assets.adapters.warehouse.file_names import ARCHIVE, VERSION_FOLDER
from stoic_assets.core.evaluation.evaluation_id import EvaluationKey

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

HELD = "evaluations"
"""The key in an archive's footer: JSON, a list of [agent version, evaluation id, n], all texts."""
Fill = Callable[[IO[bytes]], None]
"""Fills a new file, directly or by its name (`file.name`)."""
_NAME = re.compile(r"(?P<evaluation_id>.+)\.(?P<n>\d+)\.parquet")
FEW_BYTES = 16_384
"""Smaller files stay uncompressed: they are read twice as fast, and are no larger."""
_LINE = 2**20
"""DuckDB reads the lines in blocks of twice as many bytes, more where a line is longer."""


class Place(NamedTuple):
    """A file with all rows of an evaluation, as of its `n`-th write.

    Its path is a text: there are thousands, and making a `Path` takes ten times as long.
    """

    n: int
    path: str


@dataclass(frozen=True)
class Archive:
    """A merged file, and the n of every evaluation in it."""

    path: str
    held: Mapping[EvaluationKey, int]


def places(folder: Path, agent_version: str | None = None) -> dict[EvaluationKey, Place]:
    """The place of the rows that count, for every evaluation of a table, or for one version's evaluations.

    Single files are listed before archives: one that was removed in between is in an archive, which is listed then.
    """
    found: dict[EvaluationKey, Place] = {}
    singles = list(single_files(folder, agent_version))
    merged = [(key, Place(n, each.path)) for each in archives(folder) for key, n in each.held.items()]
    for key, place in [*singles, *merged]:
        if agent_version in (None, key[0]) and (key not in found or place.n >= found[key].n):
            found[key] = place
    return found


def place_of(folder: Path, key: EvaluationKey) -> Place | None:
    """The place of the rows that count for one evaluation, if it has any."""
    found = [place for each, place in single_files(folder, key[0]) if each == key]
    found += [Place(each.held[key], each.path) for each in archives(folder) if key in each.held]
    return max(reversed(found), key=lambda place: place.n, default=None)  # of equals max takes the first


def single_files(folder: Path, agent_version: str | None = None) -> Iterator[tuple[EvaluationKey, Place]]:
    """The files of single evaluations, of all versions or of one."""
    names = [f"{VERSION_FOLDER}{agent_version}"] if agent_version else _names(folder)
    for name in names:
        if name.startswith(VERSION_FOLDER):
            version = name.removeprefix(VERSION_FOLDER)
            for file in _names(folder / name):
                if match := _NAME.fullmatch(file):
                    yield (version, match["evaluation_id"]), Place(int(match["n"]), f"{folder}/{name}/{file}")


def archives(folder: Path) -> list[Archive]:
    """The archives of a table, the oldest first."""
    while True:
        with suppress(FileNotFoundError):  # it was removed after it was listed: its replacement exists by now
            names = sorted(name for name in _names(folder / ARCHIVE) if re.match(r"\d+-", name))
            return [Archive(path, _held(path)) for path in (f"{folder}/{ARCHIVE}/{name}" for name in names)]


def write_next(folder: Path, evaluation_id: str, fill: Fill) -> Path:
    """Writes a file under the evaluation's next free number and returns where; `folder` is its version's.

    Raises `StorageError` when the disk refuses it; then nothing is left behind.
    """
    version = folder.name.removeprefix(VERSION_FOLDER)
    place = place_of(folder.parent, (version, evaluation_id))
    numbers = count(place.n + 1 if place else 1)
    return _write(folder, (f"{evaluation_id}.{n}.parquet" for n in numbers), fill)


def write_once(path: Path, fill: Fill) -> None:
    """Writes the file at `path` unless it exists. Raises `StorageError` as `write_next` does."""
    if not path.exists():
        # Drafted next to its folder: the deletion of a version first waits for archives, then removes all their drafts.
        _write(path.parent, [path.name], fill, drafted_in=path.parent.parent)


def write_archive(folder: Path, fill: Fill) -> Path:
    """Writes the table's next archive, whose name was never used before. Raises `StorageError` as `write_next` does."""
    last = max((int(Path(each.path).name.partition("-")[0]) for each in archives(folder)), default=0)
    path = _write(folder / ARCHIVE, [f"{last + 1:08d}-{uuid4().hex[:8]}.parquet"], fill)
    sync_folder(path.parent)  # the name must survive a power cut before the files that it replaces may be removed
    return path


def remove_drafts(folder: Path, before: float) -> None:
    """Removes the drafts that killed writers left in a folder before a moment, in seconds since 1970."""
    for draft in folder.glob(".*.tmp"):
        with suppress(FileNotFoundError):
            if draft.stat().st_mtime <= before:
                draft.unlink()


@lru_cache(maxsize=1024)
def _held(archive: str) -> Mapping[EvaluationKey, int]:
    """The evaluations in an archive. DuckDB reads them, which is loaded already; pyarrow would take 0.1 s and 50 MB.

    Raises `FileNotFoundError`, `DamagedFile`.
    """
    import duckdb

    sql = f"select value from parquet_kv_metadata({quoted(escape(archive))}) where key = '{HELD}'"
    try:
        with open_engine() as engine:
            [[held]] = engine.execute(sql).fetchall()
        return {(version, evaluation_id): int(n) for version, evaluation_id, n in json.loads(held)}
    except (duckdb.Error, ValueError) as error:
        if Path(archive).exists():
            raise DamagedFile(archive) from error
        raise FileNotFoundError(archive) from None


def _names(folder: Path) -> list[str]:
    """The names in a folder; none if it does not exist, or no longer."""
    try:
        return os.listdir(folder)  # noqa: PTH208 (only the names: ten times as fast as paths)
    except (FileNotFoundError, NotADirectoryError):
        return []


def write_rows(
    engine: "DuckDBPyConnection", columns: Mapping[str, str], lines: Sequence[bytes], file: IO[bytes]
) -> None:
    """Writes rows into a file, as Parquet; each is a line of JSON that has all `columns`, names to DuckDB's types.

    DuckDB does it, which every writer has loaded anyway: pyarrow would take 0.15 s and 60 MB more.
    """
    import duckdb

    types = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in columns.items())
    longest = max([_LINE, *map(len, lines)])
    few = sum(map(len, lines)) < FEW_BYTES
    options = f"format parquet, compression {'uncompressed' if few else 'zstd'}, use_tmp_file false"
    rows = Path(f"{file.name}.rows.tmp")
    table = (
        f"read_json({quoted(escape(str(rows)))}, format='newline_delimited', columns={{{types}}}, "
        f"hive_partitioning=false, maximum_object_size={longest})"
    )
    try:
        with rows.open("wb") as written:
            written.writelines(lines)
        engine.execute(f"copy (from {table}) to {quoted(file.name)} ({options})")
    except duckdb.IOException as error:
        raise OSError(str(error)) from error
    finally:
        rows.unlink(missing_ok=True)


def _write(folder: Path, names: Iterable[str], fill: Fill, drafted_in: Path | None = None) -> Path:
    """Writes whole or not at all, under the first of `names` that is free.

    The name is given by a hard link: unlike a rename it never replaces another writer's file.
    """
    draft = (drafted_in or folder) / f".{uuid4().hex}.tmp"
    try:
        with _opened(draft) as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        folder.mkdir(parents=True, exist_ok=True)
        return _link_to_free_name(draft, folder, names)
    except OSError as error:
        problem = error.strerror or str(error)
        raise StorageError(
            f"cannot write to {folder}: {problem}; {remedy(error)}, or set STOIC_WAREHOUSE to another folder"
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _opened(draft: Path) -> IO[bytes]:
    """A new file in a folder that is made first; tried twice, since a compaction may remove the empty folder again."""
    draft.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        return draft.open("wb")
    draft.parent.mkdir(parents=True, exist_ok=True)
    return draft.open("wb")


def _link_to_free_name(draft: Path, folder: Path, names: Iterable[str]) -> Path:
    for path in (folder / name for name in names):
        with suppress(FileExistsError):
            os.link(draft, path)
            break
    return path
