"""That a run failed is told to the webhook; whoever started a command sees its failure for themselves."""

from datetime import UTC, datetime

import dagster as dg

from stoic_assets.adapters.alerts import announce
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.alerts import Failure, run_failed
from stoic_assets.core.evaluation import EVALUATION_TAG
from stoic_assets.defs.releases import PARTITION_TAG


@dg.run_failure_sensor(minimum_interval_seconds=30, default_status=dg.DefaultSensorStatus.RUNNING)
def failed_runs(context: dg.RunFailureSensorContext, workplace: dg.ResourceParam[Workplace]) -> None:
    """Announces every failed run of the web UI, of a sensor or a schedule as `stoic.run_failed`."""
    run = context.dagster_run
    partition = run.tags.get(PARTITION_TAG)
    failure = Failure(
        run.run_id, run.job_name, partition, _error(context), _ended_at(context),
        run.tags.get(EVALUATION_TAG), partition if partition and "@" in partition else None,
    )  # fmt: skip
    delivery = announce(workplace, [run_failed(failure)])
    for problem in delivery.errors:
        context.log.warning(problem)


def _error(context: dg.RunFailureSensorContext) -> str:
    """The line of the step that failed first; a step of ours says what to do next."""
    for event in context.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data and data.user_failure_data.description:
            return data.user_failure_data.description
        if data.error:
            return (data.error.cause or data.error).message.strip().splitlines()[-1]
    return context.failure_event.message or "it failed without a word"


def _ended_at(context: dg.RunFailureSensorContext) -> str:
    """UTC, ISO 8601. Taken from the run, so that the event is the same whenever it is made."""
    record = context.instance.get_run_record_by_id(context.dagster_run.run_id)
    ended = datetime.fromtimestamp(record.end_time, UTC) if record and record.end_time else datetime.now(UTC)
    return ended.isoformat()
