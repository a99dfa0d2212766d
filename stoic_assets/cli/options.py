"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Every message, function call, system prompt and query.")]
NEWEST = "newest"
"""What `--resume` without a value stands for."""
