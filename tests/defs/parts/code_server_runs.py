"""Runs as a code server begins them: Dagster starts them again if they lose their worker, unlike those of commands."""

import logging
from typing import Any

import dagster as dg
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.utils import make_new_run_id
from dagster._daemon.auto_run_reexecution.auto_run_reexecution import consume_new_runs_for_automatic_reexecution


@dg.job
def work() -> None:
    """A job without a step."""


def origin_of(job_name: str) -> RemoteJobOrigin:
    """Where Dagster finds the job of such a run."""
    return RemoteJobOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("stoic"), "repository"), job_name)


def begun(instance: dg.DagsterInstance, job: dg.JobDefinition, tags: dict[str, str]) -> dg.DagsterRun:
    """One that is at work. What it plans is not stored: that takes longer than all else that tests do with it."""
    started, origin = dg.DagsterRunStatus.STARTED, origin_of(job.name)
    run = dg.DagsterRun(job.name, make_new_run_id(), tags=tags, status=started, remote_job_origin=origin)
    return instance.add_run(run)


class _NothingLoads:
    """What Dagster starts runs from, while `stoic.yml` has a slip."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self.instance = instance

    def create_request_context(self) -> None:
        raise dg.DagsterError("stoic.yml: no such key")


def give_up(instance: dg.DagsterInstance, run_id: str) -> None:
    """Has Dagster try in vain to start a failed run again; it notes that and tries no more."""
    failed, context = instance.get_run_records(dg.RunsFilter(run_ids=[run_id])), _NothingLoads(instance)
    tried: Any = consume_new_runs_for_automatic_reexecution
    assert len(list(tried(context, failed, logging.getLogger("dagster")))) == 1
