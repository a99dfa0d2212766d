"""`stoic schema`: the JSON Schema of job files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.cli import console
from stoic_assets.core.jobs.job import job_json_schema


def schema(
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Write it to this file. (default: standard output)"),
    ] = None
) -> None:
    """Writes the JSON Schema of job files, for editors."""
    if out is None:
        console.out.print(schema_text(), end="")
    else:
        write_whole(out, schema_text())
        console.out.print(f"wrote {out}")


def schema_text() -> str:
    """The JSON Schema of job files, as a file."""
    return json.dumps(job_json_schema(), indent=2, ensure_ascii=False) + "\n"
