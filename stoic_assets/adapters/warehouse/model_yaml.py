"""Reads the YAML files of the SQL models, which come with the product."""

from pathlib import Path
from typing import Any

import yaml

# With libyaml a tenth of the time: the files are read once a process, which took 0.04 to 0.1 s without it.
_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


def read_model_yaml(file: Path) -> Any:
    """The document in a file."""
    return yaml.load(file.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 (both are safe)
