"""Options that several commands share."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Every message, function call, system prompt and query.")]
Trace = Annotated[bool, typer.Option("--verbose", help="Where a fault came from.")]
NEWEST = "newest"
"""What `--resume` without a value stands for."""


def with_verbose(command: Callable[..., None]) -> Callable[..., None]:
    """The command, taking `--verbose` as all do: faults advise it, and `command_line.run` looks for it."""
    signature = inspect.signature(command)
    if "verbose" in signature.parameters:
        return command

    @wraps(command)
    def traced(*, verbose: bool, **given: Any) -> None:
        command(**given)

    option = inspect.Parameter("verbose", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Trace)
    parameters = [*signature.parameters.values(), option]
    traced.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return traced
