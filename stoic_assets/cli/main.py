"""The `stoic` command: each is a thin layer over the same definitions, and ends with a documented exit code."""

import atexit
import gc
import sys
import traceback

import typer

from stoic_assets.cli import compare, demo, evaluate, maintenance, project_status, ratings, release, reports, servers
from stoic_assets.cli.console import err
from stoic_assets.core.errors import StoicError

app = typer.Typer(
    name="stoic", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    help="Evaluates conversational agents: live conversations, graph assertions, five Stoic virtues.",
)
release_app = typer.Typer(no_args_is_help=True, help="Release manifests.")
app.command("demo")(demo.demo)
app.command("eval")(evaluate.evaluate)
app.command("regrade")(evaluate.regrade)
app.command("compare")(compare.compare)
app.command("report")(reports.report)
app.command("export")(maintenance.export)
app.command("delete")(maintenance.delete)
app.command("schema")(maintenance.schema)
app.command("agent")(servers.agent)
app.command("graph")(servers.graph)
app.command("ui")(servers.ui)
app.command("doctor")(project_status.doctor)
release_app.command("add")(release.add)
app.add_typer(release_app, name="release")
app.add_typer(ratings.app, name="ratings")


def main() -> None:
    """Runs a command. Faults end in one line on stderr; `--verbose` shows where they came from."""
    # Dagster alone holds 200,000 objects; looking through them again and again took a tenth of an evaluation.
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)  # else Python looks through all of them once more before it ends, for a second
    arguments = sys.argv[1:]
    try:
        app(args=with_resume_value(arguments))
    except StoicError as error:
        end(error, str(error), error.exit_code, "--verbose" in arguments)
    except Exception as error:
        message = f"unexpected {type(error).__name__}: {error}; add --verbose to see where, and please report it"
        end(error, message, 2, "--verbose" in arguments)


def end(error: BaseException, message: str, exit_code: int, verbose: bool) -> None:
    """One line, and the traceback for those who asked."""
    if verbose:
        traceback.print_exception(error)  # rich's own took minutes over Dagster's nested causes
    err.print(f"stoic: {' '.join(message.split())}", markup=False)
    sys.exit(exit_code)


def with_resume_value(arguments: list[str]) -> list[str]:
    """`--resume` alone means the newest unfinished evaluation; the parser knows no options with optional values."""
    completed: list[str] = []
    for position, argument in enumerate(arguments):
        completed.append(argument)
        following = arguments[position + 1 : position + 2]
        if argument == "--resume" and (not following or following[0].startswith("-")):
            completed.append(evaluate.NEWEST)
    return completed
