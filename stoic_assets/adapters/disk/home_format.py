"""`$STOIC_HOME/format.json`: the form in which a home is stored, so that no older Stoic Eval misreads what it finds.

A home is for this form and later ones. An older program would drop the fields of files that it rewrites, and would
take lines that it does not know for trials that were never held, and pay for them again.
"""

from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel

from stoic_assets.adapters.disk.files import read_stored, write_whole
from stoic_assets.core.errors import ConfigurationError

FORMAT = 1
"""Raised when the form of something changes that a release has stored (`tests/adapters/disk/stored_forms.json`)."""
_FILE = "format.json"


class HomeFormat(BaseModel):
    """The form of a home, and the Stoic Eval that brought it into this form."""

    format: int
    written_by: str


def refuse_newer_format(home: Path) -> None:
    """Raises `ConfigurationError` for a home that a newer Stoic Eval has written to, or a damaged `format.json`."""
    advice = "is damaged or cannot be read; restore it from a backup"
    found = read_stored(home / _FILE, HomeFormat.model_validate_json, advice)
    if found and found.format > FORMAT:
        raise ConfigurationError(
            f"STOIC_HOME {home} is in format {found.format}, written by stoic-eval {found.written_by}; this is "
            f"stoic-eval {version('stoic-eval')}, which knows format {FORMAT}: update it, or restore a backup from "
            "before the update"
        )


def note_format(home: Path) -> None:
    """Records the form in a home that does not say it. Raises `StorageError`."""
    if not (home / _FILE).exists():
        written = HomeFormat(format=FORMAT, written_by=version("stoic-eval"))
        write_whole(home / _FILE, written.model_dump_json() + "\n")
