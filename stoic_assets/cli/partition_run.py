"""Materialises assets of one partition in this process: commands do the same as Dagster's UI."""

import signal
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.disk.files import StorageError, room
from stoic_assets.adapters.evaluation.conversations import import_clients
from stoic_assets.adapters.models.connect import is_offline
from stoic_assets.adapters.process.interrupts import heard_once, is_ctrl_c_ignored, was_interrupted
from stoic_assets.adapters.process.lean_imports import uncollected
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import forget_output, open_instance
from stoic_assets.core.errors import (
    InfrastructureError,
    QueryError,
    ServiceUnreachable,
    StoicError,
)
from stoic_assets.core.evaluation import CONVERSED, EVALUATION_TAG, FINISHED, REGRADING, way_to_finish
from stoic_assets.core.stages import DECIDED, EVALUATION, PARTITION_TAG, PARTITIONS

if TYPE_CHECKING:
    import dagster as dg

_GRAPH_ROOM = 1_000_000
"""With fewer free bytes the embedded graph may fail to commit; it did so with 16,000."""


class Interrupted(StoicError):
    """Ctrl-C ended a run of a command. A server that is stopped this way prints nothing."""

    exit_code = 130

    def __init__(self, advice: str) -> None:
        super().__init__(f"interrupted; {advice}")


def materialise(
    workplace: Workplace, agent_version: str, evaluation_id: str, assets: Sequence[str],
    config: Mapping[str, Mapping[str, Any]],
) -> None:
    """Materialises `assets` for one version and evaluation. Raises the `StoicError` that ended a step or `Interrupted`.

    Its lock is held throughout, so that no other process judges or publishes the same evaluation.
    """

    def begun() -> bool:
        """Whether anything was asked or said yet: a service may have been unreachable at the start."""
        manifest = workplace.evidence.manifest(agent_version, evaluation_id)
        return manifest is not None and workplace.evidence.has_begun(manifest)

    def kept() -> str:
        """What remains of a run that is cut short."""
        if not begun():
            return "nothing was started"
        again = way_to_finish(agent_version, evaluation_id, _status_of(assets))
        ceilings = {each["max_cost"] for each in config.values() if each.get("max_cost") is not None}
        limited = "".join(f" and --max-cost {ceiling:g}" for ceiling in ceilings)
        return f"results so far are stored; continue with {again}{limited}"

    try:
        with faults_translated(workplace, kept):
            workplace.graph_use.start()  # it starts while slow modules are imported
            import_clients(is_offline(workplace.env))
            if not _succeeds(workplace, agent_version, evaluation_id, assets, config):
                # Dagster turns an interrupt into a failed run without an exception.
                raise Interrupted(kept())
    except StoicError as error:
        says_how_to_go_on = error.says_how_to_go_on or "`stoic " in str(error)
        if not says_how_to_go_on and begun():
            error.add_note(kept())
        raise


def _succeeds(
    workplace: Workplace, agent_version: str, evaluation_id: str, assets: Sequence[str],
    config: Mapping[str, Mapping[str, Any]],
) -> bool:
    """Runs the steps that make `assets`. Dagster's logger is silenced, and what assets print goes to stderr."""
    with uncollected():
        import dagster as dg

        from stoic_assets.defs.assembly import build_definitions

        job = build_definitions(workplace).resolve_implicit_global_asset_job_def()
    run_config = {
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
        "ops": {name: {"config": dict(values)} for name, values in config.items()},
    }
    with (
        workplace.evidence.locked(agent_version, evaluation_id), open_instance(workplace) as instance,
        redirect_stdout(sys.stderr), _interrupts_heard_once(),
    ):
        instance.add_dynamic_partitions(PARTITIONS, [agent_version])
        _fail_dead_runs(instance, workplace, agent_version, evaluation_id)
        result = job.execute_in_process(
            instance=instance, partition_key=agent_version, tags={EVALUATION_TAG: evaluation_id},
            run_config=run_config, asset_selection=[dg.AssetKey(name) for name in assets], raise_on_error=True,
        )
    return bool(result.success)


def status_by_runs(workplace: Workplace, agent_version: str, evaluation_id: str) -> str:
    """The status of an evaluation whose row says `finished`: `conversed` or `regrading` if its last run was cut short.

    The row is written before the evaluation is compared, reported and published, and a kill or a fault may come
    between. A run that was cut short before it stored a verdict changed nothing: the one before it counts.
    """
    import dagster as dg

    with open_instance(workplace) as instance:
        for run in instance.get_runs(dg.RunsFilter(tags=_tags(agent_version, evaluation_id))):
            # The run of a whole job, as for a release, selects no assets: it makes all of them.
            assets = {key.to_user_string() for key in run.asset_selection or ()} or {*EVALUATION}
            if EVALUATION[-1] not in assets:
                continue
            if run.status == dg.DagsterRunStatus.SUCCESS:
                return FINISHED
            if _made(instance, run.run_id) & {*DECIDED}:
                return _status_of(assets)
    return FINISHED


def _tags(agent_version: str, evaluation_id: str) -> dict[str, str]:
    """Those of an evaluation's runs; in old homes several versions may have one of this id."""
    return {EVALUATION_TAG: evaluation_id, PARTITION_TAG: agent_version}


def _made(instance: "dg.DagsterInstance", run_id: str) -> set[str]:
    """The assets that a run stored."""
    import dagster as dg

    stored = instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
    return {made.asset_key.to_user_string() for event in stored if (made := event.asset_materialization)}


def _status_of(assets: Collection[str]) -> str:
    """The status of an evaluation while a run makes these assets of it."""
    return CONVERSED if "transcripts" in assets else REGRADING


def forget_partition(workplace: Workplace, key: str) -> None:
    """Removes a partition from Dagster, with all records and output of its runs; a kill leaves some that never end.

    None of them works on an evaluation: the caller holds the locks of all.
    """
    import dagster as dg

    from stoic_assets.defs.releases import ENDED

    with open_instance(workplace) as instance:
        left = [*ENDED, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
        for run in instance.get_runs(dg.RunsFilter(tags={PARTITION_TAG: key}, statuses=left)):
            forget_output(instance, run.run_id)
            instance.delete_run(run.run_id)
        instance.delete_dynamic_partition(PARTITIONS, key)


@contextmanager
def faults_translated(workplace: Workplace, kept: Callable[[], str]) -> Iterator[None]:
    """Raises the cause of Dagster's errors: our own error, Ctrl-C or a full disk; `kept` says what remains."""
    try:
        yield
    except BaseException as error:  # Dagster's own interrupt is no `Exception`
        if was_interrupted() or isinstance(error, KeyboardInterrupt):
            raise Interrupted(kept()) from None
        import dagster as dg  # not before the block, since it may be interrupted during the import

        fault = _within(error)
        if isinstance(fault, KeyboardInterrupt | dg.DagsterExecutionInterruptedError):
            raise Interrupted(kept()) from None
        if problem := _of_storage(fault, workplace.project.home, kept):
            raise problem from error
        raise fault from fault.__cause__


def _of_storage(fault: BaseException, home: Path, kept: Callable[[], str]) -> StoicError | None:
    """The error for a fault that was caused by storage but does not say so."""
    from sqlalchemy.exc import OperationalError

    # On a full disk, the embedded graph reports all kinds of errors.
    if isinstance(fault, QueryError | InfrastructureError | ServiceUnreachable) and room(home) < _GRAPH_ROOM:
        return StorageError(f"{home} cannot be written: the disk is full; free space; {kept()}")
    # Dagster's own records; when the disk is full, their failure hides that of the step.
    cause = fault if isinstance(fault, OperationalError) else fault.__cause__
    if not isinstance(cause, OperationalError):
        return None
    why = str(cause.orig).partition("\n")[0]
    if isinstance(cause.orig, sqlite3.Error):
        is_full = "is full" in why or room(home) < _GRAPH_ROOM
        advice = "free space" if is_full else "check who may write there"
        return StorageError(f"{home} cannot be written: {why}; {advice}; {kept()}")
    return ServiceUnreachable(f"Dagster's database: {why}; {kept()}")


@contextmanager
def _interrupts_heard_once() -> Iterator[None]:
    """Dagster and its steps take turns with handlers of Ctrl-C; a second one would disturb how it ends a run.

    It would also hear Ctrl-C where that is ignored, and handle SIGTERM apart, which raises Ctrl-C for us.
    """
    from dagster._utils import interrupts

    def replace(new_signal_handler: Any) -> None:
        if not is_ctrl_c_ignored():
            signal.signal(signal.SIGINT, heard_once(new_signal_handler))

    put, interrupts._replace_interrupt_signal = interrupts._replace_interrupt_signal, replace
    try:
        yield
    finally:
        interrupts._replace_interrupt_signal = put


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


def _fail_dead_runs(
    instance: "dg.DagsterInstance", workplace: Workplace, agent_version: str, evaluation_id: str
) -> None:
    """Marks runs of this evaluation that a kill left STARTED as failed; nothing else would.

    None of them works on it: the caller holds the evaluation's lock.
    """
    import dagster as dg

    if workplace.evidence.manifest(agent_version, evaluation_id) is None:
        return
    started = [dg.DagsterRunStatus.STARTED]
    filters = dg.RunsFilter(tags=_tags(agent_version, evaluation_id), statuses=started)
    for run in instance.get_runs(filters=filters):
        instance.report_run_failed(run, "the process of this run is gone; the evaluation was resumed")
