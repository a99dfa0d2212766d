"""Reads from disk what users write: YAML documents (settings, and what jobs and releases share), and `.env`."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import TypeVar

from dotenv.parser import parse_stream

from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.text.documents import Document, fault_at, parse_document
from stoic_assets.core.text.yaml_text import read_yaml

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
    except (OSError, ValueError) as error:  # no Unicode, or a path with a null byte
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
    return visible_files(folder, ".yml", ".yaml")


def visible_files(folder: Path, *endings: str) -> list[Path]:
    """The files of a folder with one of these endings, in any case, by name; without hidden ones, which editors and
    systems make."""
    found = (path for path in folder.glob("*") if path.name.lower().endswith(endings))
    return sorted(path for path in found if not path.name.startswith("."))


def mentions(path: Path, words: Iterable[str]) -> bool:
    """Whether a file that cannot be parsed has one of these words in its text or name; if it cannot even be opened,
    only its name is searched.
    """
    text = path.stem
    with suppress(OSError):
        text += "\n" + path.read_text(encoding="utf-8", errors="replace")
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words)


def read_env_file(path: Path) -> dict[str, str]:
    """The variables that have a value, as it is written: a password may contain `${…}`.

    There are none where there is no file, or a virtual environment of that name.

    Raises `ConfigurationError`, which tells nothing of the content: that may be a key.
    """
    text = read_text(path) if path.exists() and not path.is_dir() else ""
    bindings = list(parse_stream(StringIO(text)))
    for binding in bindings:
        is_bare = binding.key is not None and binding.value is None  # only a name
        if binding.error or is_bare:  # python-dotenv would leave it out, and an evaluation without its key
            part = binding.original.string
            line = binding.original.line + len(part[: -len(part.lstrip())].splitlines())
            raise ConfigurationError(f"{path}:{line}: not NAME=value, or a quotation mark that is not closed")
    return {binding.key: binding.value for binding in bindings if binding.key and binding.value}
