"""Merges the many small files of a warehouse into a few archives, across agent versions.

Readers and writers go on meanwhile and see the same rows: an archive appears whole, under a new name, and from then on
counts for the evaluations in it (`parquet_files.places`). The files that it replaces stay for a grace time, in which
every query that listed them before ends. Only processes that remove rows from archives take turns, by a lock; a kill
leaves at most a draft and files that the next compaction removes.

Archives are merged with each other like the digits of a binary counter: n evaluations are in at most log2(n) + 1
archives, and each row is written at most as many times. An archive is never opened whole.
"""

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from glob import escape
from pathlib import Path
from typing import IO, Any

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError, remove_abandoned, remove_folder
from stoic_assets.adapters.process.lean_imports import import_lean_pyarrow
from stoic_assets.adapters.warehouse.damaged_tables import first_damage
from stoic_assets.adapters.warehouse.duckdb_files import DRAFTS
from stoic_assets.adapters.warehouse.empty_files import archive_schema
from stoic_assets.adapters.warehouse.file_names import ARCHIVE, VERSION_FOLDER
from stoic_assets.adapters.warehouse.parquet_files import (
    HELD,
    Archive,
    archives,
    places,
    remove_drafts,
    single_files,
    write_archive,
)
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.core.evaluation.evaluation_id import EvaluationKey

GRACE = timedelta(hours=1)
"""Longer than any query takes. Newer files are not merged, and files that were replaced later are not removed."""
_BATCH = 1_024
_GROUP_ROWS = 16_384
_GROUP_BYTES = 8 * 2**20
"""The size of a row group: reading one evaluation is quick, so is skipping the rest, and memory stays small."""


@dataclass(frozen=True)
class Compacted:
    """What was done to a table: how many files were merged and removed, and how many files and bytes remain.

    With `damage`, which names a damaged file, nothing was done to it.
    """

    table: str
    merged: int
    removed: int
    files: int
    bytes: int
    damage: str | None = None


@dataclass(frozen=True)
class _Source:
    """A file and those of its evaluations that count."""

    path: str
    counted: dict[EvaluationKey, int]
    held: int


def compact(root: Path, grace: timedelta = GRACE) -> list[Compacted]:
    """Merges files older than `grace` and removes files that were replaced before it, table by table.

    A table with a damaged file is left as it is. Raises `StorageError` when another compaction runs, or the disk
    refuses; all rows are then as readable as before.
    """
    before = time.time() - grace.total_seconds()
    with _exclusively(root, f"compact {root}", wait=0):
        remove_abandoned(root.glob(DRAFTS))
        return [_compact_whole(root / table, before) for table in TABLES if (root / table).is_dir()]


def remove_version(root: Path, agent_version: str, on_wait: Callable[[], None] = lambda: None) -> None:
    """Removes all rows of a version at once: archives that contain some are written again without them.

    Waits for a compaction, and calls `on_wait` then. Raises `StorageError`; after any interruption, call it again.
    """
    with _exclusively(root, f"delete all of {agent_version}", wait=600, on_wait=on_wait):
        # First the rows that say that there was an evaluation: otherwise it would count as whole with only a part left.
        for folder in (root / table for table in sorted(TABLES, key=lambda table: table != "evaluations")):
            remove_drafts(folder / ARCHIVE, time.time())
            for archive in archives(folder):
                rest = {key: n for key, n in archive.held.items() if key[0] != agent_version}
                if len(rest) < len(archive.held):
                    _replace(folder, archive, rest)
            remove_folder(folder / f"{VERSION_FOLDER}{agent_version}")
        for folder in root.glob(f"*/{VERSION_FOLDER}{escape(agent_version)}"):
            remove_folder(folder)


def _replace(folder: Path, archive: Archive, rest: dict[EvaluationKey, int]) -> None:
    if rest:
        source = _Source(archive.path, rest, len(archive.held))
        write_archive(folder, partial(_merge, [source], _schema(archive.path)))
    Path(archive.path).unlink(missing_ok=True)


def _compact_whole(folder: Path, before: float) -> Compacted:
    """Compacts a table unless one of its files is damaged."""
    merged, removed, damage = 0, 0, None
    try:
        merged, removed = _compact(folder, before)
    except Exception:  # Arrow has many for damaged files, and some are reported as a fault of writing
        damage = first_damage([folder])
        if damage is None:
            raise
    left = [path.stat() for path in folder.glob("*/*.parquet")]
    size = sum(each.st_size for each in left)
    return Compacted(folder.name, merged, removed, len(left), size, str(damage) if damage else None)


def _compact(folder: Path, before: float) -> tuple[int, int]:
    """How many files were merged and how many removed."""
    for drafts in (folder, folder / ARCHIVE):
        remove_drafts(drafts, before)
    schema = archive_schema(folder)
    if sources := _sources(folder, before, schema):
        write_archive(folder, partial(_merge, sources, schema))
    return len(sources), _remove_replaced(folder, before)


def _sources(folder: Path, before: float, schema: Any) -> list[_Source]:
    """The files to merge: all single files that count, and archives that are no larger together."""
    counted: dict[str, dict[EvaluationKey, int]] = {}
    for key, place in places(folder).items():
        counted.setdefault(place.path, {})[key] = place.n
    merged = {each.path: len(each.held) for each in archives(folder)}
    singles = [
        _Source(path, keys, 1) for path, keys in counted.items()
        if path not in merged and _age(path) <= before and _fits(path, schema)
    ]  # fmt: skip
    gathered, chosen = len(singles), list[_Source]()
    for path in sorted(merged.keys() & counted.keys(), key=lambda path: (len(counted[path]), path)):
        if len(counted[path]) <= gathered and _fits(path, schema):
            chosen.append(_Source(path, counted[path], merged[path]))
            gathered += len(counted[path])
    sources = [*chosen, *singles]
    return sources if len(sources) > 1 else []


def _merge(sources: Collection[_Source], schema: Any, file: IO[bytes]) -> None:
    """Writes the rows of the sources one after another, and which evaluations they are into the footer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import_lean_pyarrow()
    held = [(*key, str(n)) for source in sources for key, n in source.counted.items()]
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(batch for source in sources for batch in _rows(source, schema)):
            writer.write_table(pa.Table.from_batches(group, schema))
        writer.add_key_value_metadata({HELD: json.dumps(held)})


def _groups(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Batches of rows, collected until they fill a row group."""
    group, rows, size = list[Any](), 0, 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + len(batch), size + batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield group
            group, rows, size = [], 0, 0
    if group:
        yield group


def _rows(source: _Source, schema: Any) -> Iterator[Any]:
    """The rows of the evaluations that count, in their order; columns that the file does not have are null."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    [version, *_] = [version for version, _ in source.counted]
    wanted = pa.array(["/".join(key) for key in source.counted])
    with pq.ParquetFile(source.path) as file:
        for batch in file.iter_batches(_BATCH):
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            columns.setdefault("agent_version", pa.repeat(version, len(batch)))
            whole = [columns.get(field.name, pa.nulls(len(batch), field.type)) for field in schema]
            rows = pa.RecordBatch.from_arrays(whole, schema=schema)
            if len(source.counted) < source.held:
                keys = pc.binary_join_element_wise(rows["agent_version"], rows["evaluation_id"], "/")
                rows = rows.filter(pc.is_in(keys, wanted))
            yield rows


def _remove_replaced(folder: Path, before: float) -> int:
    """Removes every file whose evaluations are all in later archives from before a moment; returns how many."""
    contained: dict[EvaluationKey, int] = {}
    replaced: list[str] = []
    for archive in reversed(archives(folder)):
        if all(n <= contained.get(key, 0) for key, n in archive.held.items()):
            replaced.append(archive.path)
        elif _age(archive.path) <= before:
            contained |= {key: max(n, contained.get(key, 0)) for key, n in archive.held.items()}
    replaced += [place.path for key, place in single_files(folder) if place.n <= contained.get(key, 0)]
    for path in replaced:
        Path(path).unlink(missing_ok=True)
    for parent in folder.glob(f"{VERSION_FOLDER}*"):
        remove_drafts(parent, before)
        with suppress(OSError):  # it is not empty
            parent.rmdir()
    return len(replaced)


def _fits(path: str, schema: Any) -> bool:
    """Whether a file has only declared columns, of the declared types: one from a newer program must lose none."""
    fields = {field.name: field.type for field in schema}
    return all(fields.get(field.name) == field.type for field in _schema(path))


def _schema(path: str) -> Any:
    import pyarrow.parquet as pq

    return pq.read_schema(path).remove_metadata()


def _age(path: str) -> float:
    """When the file was written, in seconds since 1970; 0 if it is gone."""
    try:
        return Path(path).stat().st_mtime
    except FileNotFoundError:
        return 0.0


@contextmanager
def _exclusively(root: Path, task: str, wait: float, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Lets one process at a time work: a compaction that had read a version's rows would undo their deletion.

    Raises `StorageError`, also for an `OSError` inside; the message then names the `task`.
    """
    busy = StorageError(f"{root} is being compacted by another process; wait for it, then try again")
    try:
        with locked(root / ".compaction.lock", busy, wait, on_wait=on_wait):
            yield
    except OSError as error:
        raise StorageError(f"cannot {task}: {error}; correct that, then try again") from error
