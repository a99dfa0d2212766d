"""Runs as a code server begins them: Dagster starts them again if they lose their worker, unlike those of commands."""

import dagster as dg
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.utils import make_new_run_id


def origin_of(job_name: str) -> RemoteJobOrigin:
    """Where Dagster finds the job of such a run."""
    return RemoteJobOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("stoic"), "repository"), job_name)


def begun(instance: dg.DagsterInstance, job: dg.JobDefinition, tags: dict[str, str]) -> dg.DagsterRun:
    """One that is at work. What it plans is not stored: that takes longer than all else that tests do with it."""
    started, origin = dg.DagsterRunStatus.STARTED, origin_of(job.name)
    run = dg.DagsterRun(job.name, make_new_run_id(), tags=tags, status=started, remote_job_origin=origin)
    return instance.add_run(run)
