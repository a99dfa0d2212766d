"""The `stoic` command: each sub-command is a thin layer over the same definitions, with documented exit codes."""

import atexit
import errno
import gc
import signal
import sys
import traceback
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from typing import Annotated

import typer

from stoic_assets.adapters.process.interrupts import hear_interrupts_once, was_interrupted
from stoic_assets.adapters.process.lean_imports import uncollected
from stoic_assets.cli.console import complain, err, out
from stoic_assets.cli.main import INTERRUPTED, INTERRUPTS, leave
from stoic_assets.cli.options import NEWEST, with_verbose
from stoic_assets.cli.parser import Command, Group
from stoic_assets.cli.streams import set_up_streams
from stoic_assets.core.errors import StoicError

COMMANDS = {
    "demo": "demo.demo",
    "init": "init.init",
    "eval": "evaluate.evaluate",
    "regrade": "regrade.regrade",
    "compare": "compare.compare",
    "report": "report.report",
    "list": "evaluations.list_evaluations",
    "export": "export.export",
    "delete": "delete.delete",
    "schema": "schema.schema",
    "agent": "agent.agent",
    "graph": "graph.graph",
    "ui": "ui.ui",
    "doctor": "doctor.doctor",
    "feedback": "feedback.feedback",
    "release": "release.app",
    "ratings": "ratings.app",
}
"""The module of each command, within `stoic_assets.cli`."""


def _show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"stoic-eval {version('stoic-eval')}")
        raise typer.Exit


def _with_version(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ]
    = False,
) -> None:
    """Options before the name of a command."""


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """`stoic` with these sub-commands; importing all of them takes 0.2 s longer than importing one."""
    stoic = typer.Typer(
        name="stoic", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
        help="Evaluates conversational agents: live conversations, assertions on what they did, five Stoic virtues.",
        cls=Group, callback=_with_version,  # with a callback, a single command still needs its name
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in names:
        module, _, written = COMMANDS[name].partition(".")
        command = getattr(import_module(f"stoic_assets.cli.{module}"), written)
        if isinstance(command, typer.Typer):
            for inner in command.registered_commands:
                inner.cls, inner.callback = Command, inner.callback and with_verbose(inner.callback)
            stoic.add_typer(command, name=name, cls=Group)
        else:
            stoic.command(name, cls=Command)(with_verbose(command))
    return stoic


def run() -> None:
    """Runs a command. Faults end in one line on stderr; `--verbose` shows where they came from."""
    _prepare()
    arguments = sys.argv[1:]
    verbose = "--verbose" in arguments
    try:
        called = [name for name in arguments[:1] if name in COMMANDS]
        with uncollected():
            stoic = command_line(called or COMMANDS)
        if leave in map(signal.getsignal, INTERRUPTS):
            hear_interrupts_once()
        sys.exit(stoic(args=with_resume_value(arguments), prog_name="stoic", standalone_mode=False) or 0)
    except typer.TyperException as error:
        if problem := error.format_message():  # empty where help was asked for, or is shown for a missing command
            path = context.command_path if (context := getattr(error, "ctx", None)) else "stoic"
            _end(error, f"{problem.replace('Value error, ', '')} (see {path} --help)", error.exit_code)
        sys.exit(error.exit_code)
    except StoicError as error:
        _end(error, str(error), INTERRUPTED if was_interrupted() else error.exit_code, verbose)
    except (Exception, KeyboardInterrupt) as error:
        _end_unexpected(error, verbose)


def _prepare() -> None:
    """Sets up garbage collection and the streams of the process."""
    # Dagster alone has 200,000 objects; collecting garbage among them took a tenth of an evaluation.
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)  # else Python collects garbage among all of them once more at its end, for a second
    set_up_streams()


def _end_unexpected(error: BaseException, verbose: bool) -> None:
    """Ends with what a command did not foresee: an interrupt, a full disk, or a fault of Stoic Eval."""
    if isinstance(error, KeyboardInterrupt) or was_interrupted():
        sys.exit(INTERRUPTED)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        _end(error, "the output cannot be written: no space left on device", 2, verbose)
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        _end(error, f"the name of a file is too long: {str(error.filename)[:60]} …", 2, verbose)
    advice = "please report it" if verbose else "add --verbose to see where, and please report it"
    _end(error, f"unexpected {type(error).__name__}: {error}; {advice}", 2, verbose)


def _end(error: BaseException, message: str, exit_code: int, verbose: bool = False) -> None:
    """Prints one line with the error's notes, and with `verbose` the traceback."""
    if verbose:
        # rich's own took minutes over Dagster's nested causes
        err.print("".join(traceback.format_exception(error)), end="")
    text = "; ".join([message, *getattr(error, "__notes__", ())])
    complain(" ".join(text.split()))
    sys.exit(exit_code)


def with_resume_value(arguments: list[str]) -> list[str]:
    """`--resume` alone means the newest unfinished evaluation; the parser knows no options with optional values."""
    completed: list[str] = []
    for position, argument in enumerate(arguments):
        completed.append(argument)
        following = arguments[position + 1 : position + 2]
        if argument == "--resume" and (not following or following[0].startswith("-")):
            completed.append(NEWEST)
    return completed
