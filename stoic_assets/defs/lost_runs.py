"""Runs that stay STARTED, or STARTING, although their process is gone.

With Dagster's own launcher, only the code server that started a run notices the end of its process. That server may be
gone too, or have met a full disk when it looked: in both cases the run would stay STARTED. So would the run of a
command that was killed. Four of them would leave no place for others (`max_concurrent_runs`). A run counts as STARTED
a moment before it locks its file: one that was killed in between has none, but its code server is gone as well.

The launcher of several machines watches the runs that have started there. One whose worker died between taking it and
its start would stay STARTING, for an hour.

Dagster decides once about each failed run whether to start it again. It passes over one whose failure it reads a moment
before the run's status is stored: that run would wait to be started again for ever, and its version with it. So would
one that Dagster cannot start again, for instance because its backfill has ended. It gives up one whose job it cannot
load at that moment, for example because of a slip in `stoic.yml`.

A tick creates a run and then puts it into the queue. Where the disk was full in between, or the daemon was killed then
and is started again a day later, Dagster takes the run as asked for and never looks at it again.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster._core.storage.tags import GRPC_INFO_TAG

from stoic_assets.adapters.process.runs_at_work import forget, is_at_work, is_served, remembered_runs
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.stages import PARTITION_TAG, WORKER_TAG
from stoic_assets.defs.failures import RETRIED_TAG, REVIVED_WITHIN, fails_again, failures

RETRIED_WITHIN = timedelta(minutes=5)
"""Dagster looks for failed runs every five seconds. Starting one again takes up to a minute on a busy machine."""
QUEUED_WITHIN = timedelta(minutes=10)
"""A run is put into the queue a moment after it is created, also by the tick of a daemon that goes on after a kill."""


@dg.sensor(
    description="Marks runs as failed whose process is gone but that Dagster still counts as running; then it "
    "starts them again, as configured. Runs of commands are left for their users to resume.",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def lost_runs(context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]) -> dg.SensorResult:
    """Looks for runs whose process is gone. The cursor has those of the last tick: Dagster sees most end in a second.

    A run that locked neither a file of its own nor, as commands do, its evaluation here is ignored: it belongs to
    another launcher, or to a machine that does not share this home. So is one that has started on a worker. One that a
    worker took begins within seconds, so two ticks are enough there too.
    """
    home, instance = workplace.project.home, context.instance
    known = remembered_runs(home)  # read first: a run counts as started before it locks its file
    started, starting = _runs(instance, dg.DagsterRunStatus.STARTED), _runs(instance, dg.DagsterRunStatus.STARTING)
    here = [run_id for run_id in known if run_id in started and WORKER_TAG not in started[run_id].tags]
    gone = {run_id for run_id in here if not is_at_work(home, run_id)}
    gone |= _commands_gone(workplace, started) | _workers_gone(instance, starting.values())
    gone |= _killed_at_start(context, started, known)
    counted, lost = started | starting, sorted(gone & set(json.loads(context.cursor or "[]")))
    for run_id in lost:
        instance.report_run_failed(counted[run_id], "the process of this run is gone without reporting its end")
    never_queued = _never_queued(context)
    for run in never_queued:
        instance.report_run_failed(run, "this run was created and never put into the queue")
    for run in _passed_over(instance):
        for_good = failures(instance, run) > 1
        instance.report_run_failed(run, "this run was to be started again, and was not")
        if for_good:  # after the report, upon which Dagster sets the tag anew
            instance.add_run_tags(run.run_id, {RETRIED_TAG: "false"})
    for run_id in set(known) - started.keys():
        forget(home, run_id)
    marked = [*lost, *(run.run_id for run in never_queued)]
    said = f"marked as failed: {', '.join(marked)}" if marked else "no run has lost its process"
    return dg.SensorResult(skip_reason=said, cursor=json.dumps(sorted(gone - set(lost))))


def _runs(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> dict[str, dg.DagsterRun]:
    return {run.run_id: run for run in instance.get_runs(dg.RunsFilter(statuses=[status]))}


def _killed_at_start(
    context: dg.SensorEvaluationContext, started: Mapping[str, dg.DagsterRun], known: Iterable[str]
) -> set[str]:
    """The runs without a file whose code server is gone too. Other code locations lock no files.

    It was on this machine: the daemon, which runs this sensor, also starts the runs in Dagster's queue.
    """
    return {
        run_id
        for run_id, run in started.items()
        if run_id not in known and WORKER_TAG not in run.tags and _is_ours(context, run)
        and (path := json.loads(run.tags.get(GRPC_INFO_TAG, "{}")).get("socket")) and not is_served(path)
    }  # fmt: skip


def _is_ours(context: dg.SensorEvaluationContext, run: dg.DagsterRun) -> bool:
    """Whether a run is of this code location: others on the instance look after their own."""
    here, origin = context.code_location_origin, run.remote_job_origin
    return bool(here and origin and origin.location_name == here.location_name)


def _never_queued(context: dg.SensorEvaluationContext) -> list[dg.DagsterRun]:
    created = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.NOT_STARTED], created_before=datetime.now(UTC) - QUEUED_WITHIN
    )
    return [run for run in context.instance.get_runs(created) if _is_ours(context, run)]


def _commands_gone(workplace: Workplace, started: Mapping[str, dg.DagsterRun]) -> set[str]:
    """The runs of commands that ended without reporting it: a command holds its evaluation's lock throughout."""
    return {
        run_id
        for run_id, run in started.items()
        if run.remote_job_origin is None and {PARTITION_TAG, EVALUATION_TAG} <= run.tags.keys()
        and workplace.evidence.is_being_evaluated(run.tags[PARTITION_TAG], run.tags[EVALUATION_TAG]) is False
    }  # fmt: skip


def _workers_gone(instance: dg.DagsterInstance, starting: Iterable[dg.DagsterRun]) -> set[str]:
    """The runs that a worker took and does not have."""
    taken = [run for run in starting if run.tags.get(WORKER_TAG)]
    if not taken:
        return set()
    from stoic_assets.defs.celery_runs import CeleryRuns  # a run with a worker: the package is installed

    launcher = instance.run_launcher
    return {run.run_id for run in taken if isinstance(launcher, CeleryRuns) and not launcher.is_at_work(run)}


def _passed_over(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    """The runs that Dagster was to start again and did not, or could not.

    When such a run fails a second time, Dagster looks at it again. If that is in vain too, a third failure is for good:
    the webhook is told of that one, since it may read an earlier one before Dagster gives the run up.
    """
    now = datetime.now(UTC)
    decided = dg.RunsFilter(
        statuses=[dg.DagsterRunStatus.FAILURE], tags={RETRIED_TAG: ["true", "false"]},
        updated_after=now - REVIVED_WITHIN, updated_before=now - RETRIED_WITHIN,
    )
    failed = [run for run in instance.get_runs(decided) if run.remote_job_origin]
    return [run for run in failed if run.is_complete_and_waiting_to_retry or fails_again(instance, run)]
