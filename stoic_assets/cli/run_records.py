"""Dagster's records of runs: reads an evaluation's status from them, ends dead runs, and deletes those of a version."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import forget_output, open_instance
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.status import CONVERSED, FINISHED, REGRADING
from stoic_assets.core.stages import DECIDED, EVALUATION, PARTITION_TAG, PARTITIONS

if TYPE_CHECKING:
    import dagster as dg


def status_by_runs(workplace: Workplace, agent_version: str, evaluation_id: str) -> str:
    """The status of an evaluation whose row says `finished`.

    It is `conversed` or `regrading` if the last run was cut short, else `finished`.

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
                return status_of(assets)
    return FINISHED


def _tags(agent_version: str, evaluation_id: str) -> dict[str, str]:
    """The tags of an evaluation's runs, with its version: in old homes several versions may share an id."""
    return {EVALUATION_TAG: evaluation_id, PARTITION_TAG: agent_version}


def _made(instance: "dg.DagsterInstance", run_id: str) -> set[str]:
    """The names of the assets that a run stored."""
    import dagster as dg

    stored = instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
    return {made.asset_key.to_user_string() for event in stored if (made := event.asset_materialization)}


def status_of(assets: Collection[str]) -> str:
    """The status of an evaluation while a run makes these assets."""
    return CONVERSED if "transcripts" in assets else REGRADING


def forget_partition(workplace: Workplace, key: str) -> None:
    """Removes a partition from Dagster with the records and output of its runs, even those that a kill left unended.

    No run is at work on an evaluation: the caller holds the locks of all.
    """
    import dagster as dg
    from dagster._core.storage.dagster_run import FINISHED_STATUSES

    with open_instance(workplace) as instance:
        left = [*FINISHED_STATUSES, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
        for run in instance.get_runs(dg.RunsFilter(tags={PARTITION_TAG: key}, statuses=left)):
            forget_output(instance, run.run_id)
            instance.delete_run(run.run_id)
        instance.delete_dynamic_partition(PARTITIONS, key)


def fail_dead_runs(
    instance: "dg.DagsterInstance", workplace: Workplace, agent_version: str, evaluation_id: str
) -> None:
    """Marks runs of this evaluation that a kill left STARTED as failed; nothing else does.

    No run is at work on it: the caller holds the evaluation's lock.
    """
    import dagster as dg

    if workplace.evidence.manifest(agent_version, evaluation_id) is None:
        return
    started = [dg.DagsterRunStatus.STARTED]
    filters = dg.RunsFilter(tags=_tags(agent_version, evaluation_id), statuses=started)
    for run in instance.get_runs(filters=filters):
        instance.report_run_failed(run, "the process of this run is gone; the evaluation was resumed")
