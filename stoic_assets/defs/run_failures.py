"""Reports failed runs, and those without a verdict, to the webhook. Not those of commands: their users see it."""

import logging
from datetime import UTC, datetime

import dagster as dg
from dagster._core.events import JobFailureData
from dagster._core.execution.retries import auto_reexecution_should_retry_run

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.delivery import announce
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.next_command import resume
from stoic_assets.core.evolution.events import Event
from stoic_assets.core.nights.alerts import Failure, came_to_no_verdict, run_failed
from stoic_assets.core.nights.night_record import night_of
from stoic_assets.core.releases import is_agent_version
from stoic_assets.core.stages import PARTITION_TAG
from stoic_assets.defs.failures import RETRIED_TAG, fails_again, is_unattended


@dg.run_failure_sensor(
    description="Sends the event `stoic.run_failed` for every failed run of the web UI, a sensor or a schedule.",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def failed_runs(context: dg.RunFailureSensorContext, workplace: dg.ResourceParam[Workplace]) -> None:
    """Sends the failure of a run, unless a user ended it.

    One whose worker was lost and that Dagster starts again has not failed yet.
    """
    record = context.instance.get_run_record_by_id(context.dagster_run.run_id)
    run, ended = (record.dagster_run, record.end_time) if record else (context.dagster_run, None)
    if _is_retried(context, run) or _was_terminated(context.instance, run):
        return
    begun = _begun(workplace, run)
    failure = _failure(run, ended, " ".join(_error(context, begun).split()), begun)
    try:
        _tell(workplace, run_failed(failure), context.log)
    except StorageError as error:
        # Of any other error Dagster only takes note, and looks at this run never again. Its own ends the tick, so that
        # the next one begins with the same run.
        raise dg.DagsterError(str(error)) from error


def _is_retried(context: dg.RunFailureSensorContext, run: dg.DagsterRun) -> bool:
    """Whether Dagster starts the run again, or will be made to try: as it is tagged, or else as it will be."""
    instance = context.instance
    if RETRIED_TAG in run.tags:
        return run.tags[RETRIED_TAG] == "true" or fails_again(instance, run)
    data = context.failure_event.event_specific_data
    reason = data.failure_reason if isinstance(data, JobFailureData) else None
    failed = run.with_status(dg.DagsterRunStatus.FAILURE)
    return instance.run_retries_enabled and auto_reexecution_should_retry_run(instance, failed, reason)


def _was_terminated(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Whether the run was marked as canceled before it failed: after a forced termination its process fails it.

    One that exceeds Dagster's maximum runtime is marked as failed first.
    """
    kinds = {dg.DagsterEventType.RUN_CANCELED, dg.DagsterEventType.RUN_FAILURE}
    ends = instance.get_records_for_run(run.run_id, of_type=kinds, limit=1).records
    event = ends[0].event_log_entry.dagster_event if ends else None
    return event is not None and event.event_type == dg.DagsterEventType.RUN_CANCELED


def report_no_verdict(
    context: dg.AssetExecutionContext, workplace: Workplace, evaluation_id: str, why: str
) -> None:
    """Warns in the log of a run, and tells the webhook if the run is unattended; a night tells it at its end."""
    context.log.warning(why)
    if is_unattended(context.run) and not night_of(evaluation_id):
        _tell(workplace, came_to_no_verdict(_failure(context.run, None, why, evaluation_id)), context.log)


def _tell(workplace: Workplace, event: Event, log: logging.Logger) -> None:
    """Sends an event to the webhook; why that failed is a warning."""
    for problem in announce(workplace, [event]).errors:
        log.warning(problem)


def _begun(workplace: Workplace, run: dg.DagsterRun) -> str | None:
    """The id of the evaluation that the run works on; None if it was not begun."""
    version, evaluation_id = _version(run), run.tags.get(EVALUATION_TAG)
    return evaluation_id if version and evaluation_id in workplace.evidence.evaluation_ids(version) else None


def _version(run: dg.DagsterRun) -> str | None:
    partition = run.tags.get(PARTITION_TAG)
    return partition if partition and is_agent_version(partition) else None


def _failure(run: dg.DagsterRun, ended: float | None, error: str, begun: str | None) -> Failure:
    """The failure, as of the end of the run in seconds since 1970, so that repeated events are the same."""
    time = datetime.fromtimestamp(ended, UTC) if ended else datetime.now(UTC)
    return Failure(
        run.run_id, run.job_name, run.tags.get(PARTITION_TAG), error, time.isoformat(), begun, _version(run)
    )  # fmt: skip


def _error(context: dg.RunFailureSensorContext, begun: str | None) -> str:
    """The message of the step that failed first; our own errors say what to do next.

    Without one the run lost its process, and what it did is in the journal of the evaluation that it had `begun`.
    """
    for event in context.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data and data.user_failure_data.description:
            return data.user_failure_data.description
        if data.error:
            return (data.error.cause or data.error).message
    said = _launch_error(context) or context.failure_event.message
    said = said or "it failed without an error message; see its page in the web UI"
    if not (begun and (version := _version(context.dagster_run))):
        return said
    return f"{said.rstrip('.')}; continue with {resume(version, begun)}"


def _launch_error(context: dg.RunFailureSensorContext) -> str | None:
    """What kept Dagster from starting the run; the failure itself does not say so. None for a run that started.

    Dagster notes it immediately before the failure; whether it starts the run again, and what sensors do, follows.
    """
    failure, error = dg.DagsterEventType.RUN_FAILURE, None
    kinds = {dg.DagsterEventType.ENGINE_EVENT, failure}
    for record in context.instance.get_records_for_run(context.dagster_run.run_id, of_type=kinds).records:
        event = record.event_log_entry.dagster_event
        if event is None or event.event_type == failure:
            break
        error = event.engine_event_data.error
    return f"it could not be started: {error.message.strip()}" if error else None
