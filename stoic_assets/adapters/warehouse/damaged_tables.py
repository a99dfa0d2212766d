"""Looks for damaged files among those of tables that count: quickly before they are needed, or after a query failed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stoic_assets.adapters.warehouse.damaged_files import DamagedFile, may_be_damage, problem_inside, problem_of
from stoic_assets.adapters.warehouse.empty_files import empty_files
from stoic_assets.adapters.warehouse.parquet_files import places


def damaged(
    folder: Path,
    agent_version: str | None = None,
    problem: Callable[[str], str | None] = problem_of,
    whole: set[str] | None = None,
) -> Iterator[DamagedFile]:
    """The damaged files of the table in `folder`, of all versions or of one; `problem` says how a file is checked.

    By default only its first and last bytes are read: 10,000 files take 0.4 s. Files in `whole` are not
    read again, since none is ever rewritten; those that are found undamaged are added to it.
    """
    if not folder.is_dir():
        return
    try:
        files = {place.path for place in places(folder, agent_version).values()}
    except DamagedFile as archive:
        yield archive
        return
    known = set() if whole is None else whole
    for file in sorted((empty_files(folder) | files) - known):
        if found := problem(file):
            yield DamagedFile(file, found)
        else:
            known.add(file)


@contextmanager
def table_damage_named(root: Path, tables: Iterable[str]) -> Iterator[None]:
    """Raises `DamagedFile` instead of what DuckDB says of a damaged file of these tables."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        if may_be_damage(error) and (found := first_damage(root / table for table in tables)):
            raise found from error
        raise


def first_damage(folders: Iterable[Path]) -> DamagedFile | None:
    """The first damaged file of these tables, each of which is read whole."""
    return next((each for folder in folders for each in damaged(folder, problem=problem_inside)), None)
