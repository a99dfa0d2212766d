"""Paths: what no path may contain, and files that come with the package."""

import os
import re
from pathlib import Path

from stoic_assets.core.errors import ConfigurationError

PACKAGE = Path(__file__).resolve().parents[2]


def refuse_misread(reader: str, pattern: str, folder: Path, instead: str) -> None:
    """Raises `ConfigurationError` for a folder that a library would take for another one or not find.

    `pattern` matches what it misreads; `instead` says where another folder may be named.
    """
    if found := re.search(pattern, str(folder)):
        raise ConfigurationError(
            f"{reader} misreads '{found[0]}' in the path {folder}; rename that folder, or {instead}"
        )


def refuse_undecoded(folder: Path) -> None:
    """Raises `ConfigurationError` for a folder whose path is not Unicode."""
    if legible := undecoded(str(folder)):
        raise ConfigurationError(
            f"the path {legible} is no text in this locale; set one with UTF-8 (LC_ALL=C.UTF-8), or rename the folder"
        )


def undecoded(text: str) -> str | None:
    """A text from the operating system that is not Unicode, with � for what could not be decoded; None if it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text).decode(errors="replace")
    return None


def path_in(variable: str, value: str | Path) -> Path:
    """The path that an environment variable names, with the home folder in place of `~`.

    Raises `ConfigurationError` where there is no such home folder.
    """
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise ConfigurationError(f"{variable}={value}: there is no such home folder; write the whole path") from None


def shipped(name: str) -> Path:
    """A file or folder that comes with the product: inside an installed package, or next to it in the repository."""
    for folder in (PACKAGE, PACKAGE.parent):
        if (folder / name).exists():
            return folder / name
    raise ConfigurationError(f"{name} is missing from the installation; install stoic-eval again")
