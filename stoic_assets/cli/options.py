"""Options that several commands share."""

import inspect
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Also print messages, function calls, prompts, queries and tracebacks.")
]
Trace = Annotated[bool, typer.Option("--verbose", help="Show the traceback of an error.")]
Samples = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=50, help="How many verdicts each judge gives on each virtue."),
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
    typer.Option(metavar="USD", min=0, help="Ask no model once this many US dollars are spent."),
]
NEWEST = "newest"
"""The value of `--resume` when none is given."""


def no_folders(paths: list[Path] | None) -> list[Path] | None:
    """The values of `--file`, as the command got them; a folder among them is refused."""
    for path in paths or ():
        if path.is_dir():
            raise typer.BadParameter(f"{path} is a folder; repeat --file for each file in it")
    return paths


class _PlainHelp:
    """Help in which `--json` takes no `<bool>`, and arguments look as in the documents: BASE CANDIDATE."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of a command, including `--help`."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if isinstance(param, TyperArgument) or param.is_flag:
                param.display_type_rich = lambda ctx: None
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The text after the name of a command."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [re.sub("[{}]", "", piece) for piece in pieces]


class Command(_PlainHelp, TyperCommand):
    """A `stoic` command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments of a command. Any that are left over are refused, with advice."""
        ctx.allow_extra_args = True  # else the parser refuses them first
        given = list(args)
        if left := super().parse_args(ctx, args):
            before = reversed(given[: given.index(left[0])])
            option = next((word.partition("=")[0] for word in before if word.startswith("-")), "")
            repeated = any(option in param.opts for param in self.params if param.multiple)
            how = f"; repeat {option} before each further one" if repeated else ""
            ctx.fail(f"unexpected argument: {' '.join(left)}{how}")
        return left


class Group(_PlainHelp, TyperGroup):
    """A command with sub-commands."""


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
