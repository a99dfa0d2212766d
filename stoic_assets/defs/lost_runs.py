"""Runs that stay STARTED although their process is gone.

With Dagster's own launcher, only the code server that started a run notices the end of its process. That server may be
gone too, or have met a full disk when it looked: in both cases the run would stay STARTED.
"""

import json

import dagster as dg

from stoic_assets.adapters.process.runs_at_work import forget, is_at_work, runs_at_work_once
from stoic_assets.adapters.workplace import Workplace


@dg.sensor(
    description="Marks runs as failed whose process is gone but that Dagster still counts as running; then it "
    "starts them again, as configured.",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def lost_runs(context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]) -> dg.SensorResult:
    """The cursor contains the runs whose process was gone at the last tick: Dagster sees most of them end in a second.

    A run that did not lock its file here is ignored: it belongs to a command, whose user sees it end and resumes it, to
    another launcher, or to a machine that does not share this home.
    """
    home, filters = workplace.project.home, dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])
    known = runs_at_work_once(home)  # read first: a run counts as started before it locks its file
    started = {run.run_id: run for run in context.instance.get_runs(filters)}
    gone = {run_id for run_id in known if run_id in started and not is_at_work(home, run_id)}
    lost = sorted(gone & set(json.loads(context.cursor or "[]")))
    for run_id in lost:
        context.instance.report_run_failed(started[run_id], "the process of this run is gone without reporting its end")
    for run_id in set(known) - started.keys():
        forget(home, run_id)
    said = f"marked as failed: {', '.join(lost)}" if lost else "no run has lost its process"
    return dg.SensorResult(skip_reason=said, cursor=json.dumps(sorted(gone - set(lost))))
