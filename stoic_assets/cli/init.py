"""`stoic init`: a project with a job to begin with."""

import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.disk.configuration_files import yaml_files
from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.disk.paths import shipped
from stoic_assets.cli import console
from stoic_assets.cli.schema import schema_text
from stoic_assets.core.errors import ConfigurationError

_NOT_IN_GIT = ".env\n.stoic/\n"
_NEXT = "next: change that job to what your agent does, then `stoic doctor`, which says what is missing"


class Protocol(StrEnum):
    """What the agent speaks."""

    EMBABEL = "embabel"
    OPENAI = "openai"


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", file_okay=False, show_default=False, help="The project. (default: the current folder)"
        ),
    ] = Path(),
    protocol: Annotated[
        Protocol, typer.Option(show_default=False, help="What your agent speaks. (default: embabel)")
    ] = Protocol.EMBABEL,
) -> None:
    """Begins a project: writes a job to change, its schema for editors, .env.example and .gitignore."""
    jobs = folder / "eval_jobs"
    if there := yaml_files(jobs):
        raise ConfigurationError(f"{jobs}: there are jobs already, such as {there[0].name}; write your own beside them")
    for name, content in _files(protocol).items():
        path = folder / name
        if path.exists():
            console.out.print(f"kept  {path}")
        else:
            console.out.print(f"wrote {write_whole(path, content)}")
    console.err.print(_NEXT if folder == Path() else f"{_NEXT}; both in {shlex.quote(str(folder))}")


def _files(protocol: str) -> Mapping[str, str]:
    """The content of each file by its path in the project."""
    return {
        "eval_jobs/my_agent.yml": shipped(f"first_job/{protocol}.yml").read_text(encoding="utf-8"),
        "eval_jobs/job.schema.json": schema_text(),
        ".env.example": shipped(".env.example").read_text(encoding="utf-8"),
        ".gitignore": _NOT_IN_GIT,
    }
