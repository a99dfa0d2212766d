"""Runs that stay STARTED though their process is gone.

Dagster's own launcher leaves it to the code server that began a run to see its process end, and monitors nothing more.
That server may have gone too, or it met a full disk as it looked: either way the run would keep its place for ever.
"""

import json

import dagster as dg

from stoic_assets.adapters.runs_at_work import forget, is_at_work, runs_at_work_once
from stoic_assets.adapters.workplace import Workplace


@dg.sensor(
    description="Marks runs as failed whose process is gone and that Dagster still counts as running, so that it "
    "begins them once more.",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def lost_runs(context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]) -> dg.SensorResult:
    """The cursor holds the runs whose process was gone at the last look: Dagster sees most of them end in a second.

    A run that did not lock its file here is not judged: it is that of a command, which is resumed by whoever sees it
    end, that of another launcher, or it is on a machine that does not share this home.
    """
    home, filters = workplace.project.home, dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    known = runs_at_work_once(home)  # asked first: a run counts as started before it locks its file
    started = {run.run_id: run for run in context.instance.get_runs(filters)}
    gone = {run_id for run_id in known if run_id in started and not is_at_work(home, run_id)}
    lost = sorted(gone & set(json.loads(context.cursor or "[]")))
    for run_id in lost:
        context.instance.report_run_failed(started[run_id], "the process of this run is gone, and nobody said so")
    for run_id in set(known) - started.keys():
        forget(home, run_id)
    said = f"marked as failed: {', '.join(lost)}" if lost else "no run has lost its process"
    return dg.SensorResult(skip_reason=said, cursor=json.dumps(sorted(gone - set(lost))))
