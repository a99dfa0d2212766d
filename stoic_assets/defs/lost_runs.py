"""Runs that stay STARTED though their process is gone.

Dagster's own launcher leaves it to the code server that began a run to see its process end, and monitors nothing more.
That server may have gone too, or it met a full disk as it looked: either way the run would keep its place for ever.
"""

import json

import dagster as dg
from dagster._core.storage.tags import GRPC_INFO_TAG

from stoic_assets.adapters.process_identity import start_time


@dg.sensor(
    description="Marks runs as failed whose process is gone and that Dagster still counts as running, so that it "
    "begins them once more.",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def lost_runs(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    """The cursor holds the runs whose process was gone at the last look: Dagster sees most of them end in a second."""
    filters = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    gone = {run.run_id: run for run in context.instance.get_runs(filters) if _is_gone(context.instance, run)}
    lost = sorted(gone.keys() & set(json.loads(context.cursor or "[]")))
    for run_id in lost:
        context.instance.report_run_failed(gone[run_id], "the process of this run is gone, and nobody said so")
    said = f"marked as failed: {', '.join(lost)}" if lost else "no run has lost its process"
    return dg.SensorResult(skip_reason=said, cursor=json.dumps(sorted(gone.keys() - set(lost))))


def _is_gone(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """Whether a code server of this machine began the run, and its process has ended.

    The runs of commands are resumed by whoever sees them end. Where another process has got the number, nothing is
    known, and the run stays as it is.
    """
    if GRPC_INFO_TAG not in run.tags:
        return False
    events = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT)
    noted = [event.dagster_event.engine_event_data.metadata.get("pid") for event in events if event.dagster_event]
    pids = [str(pid.value) for pid in noted if pid]
    return bool(pids) and start_time(int(pids[-1])) is None
