"""The names of a table's files, which say whose rows a file contains; their order is in `parquet_files`."""

from pathlib import Path
from typing import NamedTuple

VERSION_FOLDER = "agent_version="
"""The beginning of the name of a version's folder."""
ARCHIVE = "archive"
WITHOUT_ROWS = f"{VERSION_FOLDER}_"
"""The folder of the file without rows; there is another one among the archives."""
SCHEMA = "schema-"
"""The beginning of the name of a file without rows."""


class Named(NamedTuple):
    """What the path of a table's file says. Both are None for a file with the rows of many evaluations."""

    table: str
    agent_version: str | None
    evaluation_id: str | None


def named(file: str) -> Named:
    """Reads the path of a table's file."""
    table, folder, name = Path(file).parts[-3:]
    if folder == ARCHIVE:
        return Named(table, None, None)
    return Named(table, folder.removeprefix(VERSION_FOLDER), name.rsplit(".", 2)[0])


def has_no_rows(file: str) -> bool:
    """Whether it is a file without rows."""
    folder, name = Path(file).parts[-2:]
    return folder in (WITHOUT_ROWS, ARCHIVE) and name.startswith(SCHEMA)
