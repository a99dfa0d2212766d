"""Reads YAML documents from disk: settings, and what jobs and release manifests have in common."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from stoic_assets.core.documents import Document, fault_at, parse_document
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.settings import Settings
from stoic_assets.core.yaml_text import read_yaml

D = TypeVar("D", bound=Document)


def read_document(path: Path, model: type[D]) -> D:
    """One YAML file as `model`. Raises `DocumentError`, naming file, line and key."""
    return parse_document(read_text(path), model, str(path))


def read_text(path: Path) -> str:
    """The text of a file that a user named, without a byte order mark, which some editors write first.

    Raises `ConfigurationError` when it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from None


def fault_in(path: Path, key: Sequence[str | int], problem: str) -> DocumentError:
    """A complaint about the value of `key` in the file at `path`."""
    return fault_at(tuple(key), read_yaml(read_text(path), str(path)), str(path), problem)


def load_settings(path: Path) -> Settings:
    """Reads `stoic.yml`; all defaults where the file is missing or contains only comments."""
    text = read_text(path) if path.exists() else ""
    is_silent = all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())
    return Settings() if is_silent else parse_document(text, Settings, str(path))


def yaml_files(folder: Path) -> list[Path]:
    """The YAML files of a folder, by name."""
    return sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")])


def mentions(path: Path, words: Iterable[str]) -> bool:
    """Whether a file that cannot be parsed has one of these words in its text or name; if it cannot even be opened,
    only its name is searched.
    """
    text = path.stem
    with suppress(OSError):
        text += "\n" + path.read_text(encoding="utf-8", errors="replace")
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words)
