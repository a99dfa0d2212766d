"""The variables in a project's `.env`."""

from io import StringIO
from pathlib import Path

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from stoic_assets.adapters.disk.document_files import read_text
from stoic_assets.core.errors import ConfigurationError


def read_env_file(path: Path) -> dict[str, str]:
    """The variables that have a value; none where there is no file, or a virtual environment of that name.

    Raises `ConfigurationError`, which tells nothing of the content: that may be a key.
    """
    text = read_text(path) if path.exists() and not path.is_dir() else ""
    for binding in parse_stream(StringIO(text)):
        if binding.error:  # python-dotenv would leave it out with a warning, and an evaluation without its key
            part = binding.original.string
            line = binding.original.line + len(part[: -len(part.lstrip())].splitlines())
            raise ConfigurationError(f"{path}:{line}: not NAME=value, or a quotation mark that is not closed")
    return {name: value for name, value in dotenv_values(stream=StringIO(text)).items() if value}
