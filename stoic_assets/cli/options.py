"""Options that several commands share."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from stoic_assets.core.configuration.settings import MOST_SAMPLES

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Also print messages, function calls, prompts, queries and tracebacks.")
]
Trace = Annotated[bool, typer.Option("--verbose", help="Show the traceback of an error.")]
Samples = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=MOST_SAMPLES,
        help="Verdicts of each judge on each virtue. (default: as before, else judging.samples of stoic.yml)",
    ),
]
FailUnder = Annotated[
    float | None, typer.Option(metavar="X", min=0, max=1, help="Exit with 1 when the average score is below X.")
]
MinPassed = Annotated[
    float | None,
    typer.Option(metavar="SHARE", min=0, max=1, help="Exit with 1 when a smaller share of the trials passed."),
]
Junit = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="Write JUnit XML to this file, one test for each trial."),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        metavar="USD", min=0,
        help="Ask no model once this many US dollars are spent. (default: max_cost of stoic.yml, else no limit)",
    ),
]
NEWEST = "newest"
"""The value of `--resume` when none is given."""


def only_files(paths: list[Path] | None) -> list[Path] | None:
    """The values of `--file`, as the command got them; what is there but is no file is refused: jobs are read twice."""
    for path in paths or ():
        if path.is_dir():
            raise typer.BadParameter(f"{path} is a folder; repeat --file for each file in it")
        if path.exists() and not path.is_file():
            raise typer.BadParameter(f"{path} is a pipe or device, which is read only once; write the job to a file")
    return paths


def with_verbose(command: Callable[..., None]) -> Callable[..., None]:
    """Adds `--verbose` to the command: errors advise it, and `command_line.run` looks for it."""
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
