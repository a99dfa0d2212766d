"""What ends a run of a command: our own error, Ctrl-C or a full disk, found among Dagster's errors."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stoic_assets.adapters.disk.files import StorageError, room
from stoic_assets.adapters.process.interrupts import was_interrupted
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.main import INTERRUPTED
from stoic_assets.core.errors import InfrastructureError, QueryError, ServiceUnreachable, StoicError

if TYPE_CHECKING:
    from sqlalchemy.exc import OperationalError

_GRAPH_ROOM = 1_000_000
"""With fewer free bytes the embedded graph may fail to commit; it did so with 16,000."""


class Interrupted(StoicError):
    """Ctrl-C ended a run of a command. A server that is stopped this way prints nothing."""

    exit_code = INTERRUPTED
    says_how_to_go_on = True

    def __init__(self, advice: str) -> None:
        super().__init__(f"interrupted; {advice}")


@contextmanager
def faults_translated(workplace: Workplace, advice: Callable[[], str]) -> Iterator[None]:
    """Raises the cause of an error of Dagster: our own error, Ctrl-C or a full disk, these two with the `advice`."""
    try:
        yield
    except BaseException as error:  # Dagster's own interrupt is no `Exception`
        if was_interrupted() or isinstance(error, KeyboardInterrupt):
            raise Interrupted(advice()) from None
        import dagster as dg  # not before the block, since it may be interrupted during the import

        fault = _within(error)
        if isinstance(fault, KeyboardInterrupt | dg.DagsterExecutionInterruptedError):
            raise Interrupted(advice()) from None
        if problem := _of_storage(fault, workplace.project.home, advice):
            raise problem from error
        raise fault from fault.__cause__


def _of_storage(fault: BaseException, home: Path, advice: Callable[[], str]) -> StoicError | None:
    """The error that names storage as the cause of a fault that does not say so itself; else None."""
    # On a full disk, the embedded graph reports all kinds of errors.
    if isinstance(fault, QueryError | InfrastructureError | ServiceUnreachable) and room(home) < _GRAPH_ROOM:
        return StorageError(f"{home} cannot be written: the disk is full; free space; {advice()}")
    # Dagster's own records; when the disk is full, their failure hides that of the step.
    problem = _of_records(fault, home)
    return problem and type(problem)(f"{problem}; {advice()}")


@contextmanager
def record_faults_named(home: Path) -> Iterator[None]:
    """Raises an error of ours where Dagster cannot use its records; `faults_translated` adds advice to it."""
    try:
        yield
    except Exception as error:
        if problem := _of_records(error, home):
            raise problem from _operational(error)
        raise


def _of_records(fault: BaseException, home: Path) -> StoicError | None:
    """The error that says why Dagster cannot use its records, if that is the fault; else None."""
    if not (cause := _operational(fault)):
        return None
    why = str(cause.orig).partition("\n")[0]
    if isinstance(cause.orig, sqlite3.Error):
        is_full = "is full" in why or room(home) < _GRAPH_ROOM
        remedy = "free space" if is_full else "check who may write there"
        return StorageError(f"{home} cannot be written: {why}; {remedy}")
    return ServiceUnreachable(f"Dagster's database: {why}; start it, or correct dagster.yaml")


def _operational(fault: BaseException) -> "OperationalError | None":
    """What a database says of its state: the fault itself, or its direct cause."""
    from sqlalchemy.exc import OperationalError

    cause = fault if isinstance(fault, OperationalError) else fault.__cause__
    return cause if isinstance(cause, OperationalError) else None


def _within(error: BaseException) -> BaseException:
    """The error of a step: Dagster wraps it in a failure, and in another one when no retry is left."""
    import dagster as dg

    wrappers = dg.Failure | dg.RetryRequested | dg.DagsterError
    while isinstance(error, wrappers):
        inner = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if inner is None:
            break
        error = inner
    return error
