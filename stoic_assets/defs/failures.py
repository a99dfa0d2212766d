"""How faults appear in Dagster: one line as a step's failure, whether it is retried, and what was not delivered."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import dagster as dg
from dagster._core.events import RunFailureReason
from dagster._core.storage.tags import PARENT_RUN_ID_TAG, RUN_FAILURE_REASON_TAG

from stoic_assets.adapters.messages.outbox import Delivered, errors_of
from stoic_assets.adapters.warehouse.duckdb_engine import is_interrupt
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import InfrastructureError, ServiceUnreachable, StoicError

RETRIES = dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)
"""For steps that talk to networks. Nothing is paid twice: journals and the judge cache keep earlier replies."""
WAITS = (60, 120, 240, 480, 960)
"""Seconds between tries, half an hour in all: an agent may start after its manifest, a model server return soon."""
INTERRUPTED = "interrupted; what was done is stored, and re-executing the run continues it"
UNATTENDED = ("dagster/sensor_name", "dagster/schedule_name")
"""Tags of runs that no user started, and that no user would start again."""
RETRIED_TAG = "dagster/will_retry"
"""Set by Dagster a moment after it stored the failure of a run: whether it starts the run again."""
GIVEN_UP = "Failed to retry run"
"""What Dagster notes with a run that it could not start again."""
FOR_GOOD = 3
"""After so many failures of one run, no more is tried to start it again."""
REVIVED_WITHIN = timedelta(days=1)
"""For so long after a failure `lost_runs` has Dagster try once more to start the run again."""
STEP_FAILURE = RunFailureReason.STEP_FAILURE.value


@contextmanager
def reported(workplace: Workplace, patient: dg.AssetExecutionContext | None = None) -> Iterator[None]:
    """Turns a `StoicError` into the step's failure; commands find the error itself as the failure's cause.

    A `patient` step waits for a service that does not answer if its run is unattended.

    Dagster stores the text of both, so secrets are removed: an error may quote a service that repeats what it was sent.
    Only faults of the infrastructure are retried: a wrong key stays wrong, and a user who interrupts a run does not
    want the step again (by default Dagster applies the retry policy to Ctrl-C).
    """
    try:
        try:
            yield
        except StoicError as error:
            error.args = (workplace.redactor.text(str(error)),)
            failure = dg.Failure(str(error), allow_retries=isinstance(error, InfrastructureError))
            if isinstance(error, ServiceUnreachable) and patient and is_unattended(patient.run):
                _wait(patient, str(error))
                raise dg.RetryRequested(len(WAITS)) from failure  # whose text the failure gets when Dagster gives up
            raise failure from error
    except (KeyboardInterrupt, dg.DagsterExecutionInterruptedError) as interrupt:
        raise dg.Failure(INTERRUPTED, allow_retries=False) from interrupt
    except RuntimeError as error:
        if not is_interrupt(error):
            raise
        raise dg.Failure(INTERRUPTED, allow_retries=False) from KeyboardInterrupt()


def is_unattended(run: dg.DagsterRun) -> bool:
    """Whether a sensor or a schedule started the run."""
    return bool(run.tags.keys() & {*UNATTENDED})


def has_ended(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Whether a run is over, also for Dagster, which starts one that lost its worker again, but none of a command.

    One that it could not start again is not over as long as `lost_runs` will have it try once more.
    """
    if run.status != dg.DagsterRunStatus.FAILURE or run.remote_job_origin is None:
        return run.is_finished
    undecided = instance.run_retries_enabled and RETRIED_TAG not in run.tags
    return not (undecided or run.is_complete_and_waiting_to_retry or fails_again(instance, run))


def failures(instance: dg.DagsterInstance, run: dg.DagsterRun) -> int:
    """How often a run has failed, three times at most: the sensor `lost_runs` lets one fail again."""
    failure = dg.DagsterEventType.RUN_FAILURE
    return len(instance.get_records_for_run(run.run_id, of_type=failure, limit=FOR_GOOD).records)


def fails_again(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Whether `lost_runs` will let a failed run fail again, since Dagster could not start it, and nobody else did."""
    if run.tags.get(RETRIED_TAG) != "false" or run.tags.get(RUN_FAILURE_REASON_TAG) == STEP_FAILURE:
        return False
    notes = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT).records
    entries = [note.event_log_entry for note in notes]
    given_up = max((entry.timestamp for entry in entries if entry.message == GIVEN_UP), default=0.0)
    if time.time() - given_up > REVIVED_WITHIN.total_seconds():
        return False
    resumed = instance.get_runs(dg.RunsFilter(tags={PARENT_RUN_ID_TAG: run.run_id}), limit=1)
    return not resumed and failures(instance, run) < FOR_GOOD


def _wait(context: dg.AssetExecutionContext, problem: str) -> None:
    """Waits for the next try, within the step: between two tries Dagster would let nobody terminate the run."""
    if context.retry_number < len(WAITS):
        wait = WAITS[context.retry_number]
        context.log.warning(f"{problem}; another try in {wait} seconds")
        time.sleep(wait)


def delivery_faults(deliveries: Iterable[Delivered]) -> dict[str, str]:
    """Metadata: why messages still wait in the outbox. A service that refuses them fails no step."""
    return {"delivery_faults": "; ".join(errors_of(deliveries)) or "none"}
