"""Runs that a code server of this machine began, and what becomes of those whose process is gone."""

import os
import subprocess
from collections.abc import Callable, Iterator

import dagster as dg
import pytest
from dagster._core.events import EngineEventData
from dagster._core.storage.tags import GRPC_INFO_TAG

from stoic_assets.defs.lost_runs import lost_runs

STARTED, FAILURE = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.FAILURE
Begin = Callable[..., str]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture
def begin(instance: dg.DagsterInstance) -> Begin:
    @dg.job
    def work() -> None: ...

    def begun(pid: int | None, launched: bool = True) -> str:
        run = instance.create_run_for_job(work, status=STARTED, tags={GRPC_INFO_TAG: "{}"} if launched else {})
        if pid:
            instance.report_engine_event("Started process for run", run, EngineEventData.in_process(pid))
        return run.run_id

    return begun


@pytest.fixture
def ended() -> int:
    with subprocess.Popen(["true"]) as process:
        return process.pid


def look(instance: dg.DagsterInstance, cursor: str | None = None) -> str | None:
    with dg.build_sensor_context(instance, cursor) as context:
        found = lost_runs(context)
    assert isinstance(found, dg.SensorResult)
    return found.cursor


def run_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRun:
    run = instance.get_run_by_id(run_id)
    assert run
    return run


def status(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    return run_of(instance, run_id).status


def test_a_run_whose_process_is_gone_at_two_looks_has_failed(
    instance: dg.DagsterInstance, begin: Begin, ended: int
) -> None:
    lost, later = begin(ended), begin(os.getpid())
    cursor = look(instance)
    assert status(instance, lost) == STARTED  # Dagster has its second
    instance.report_engine_event("Started process for run", run_of(instance, later), EngineEventData.in_process(ended))
    cursor = look(instance, cursor)
    assert (status(instance, lost), status(instance, later)) == (FAILURE, STARTED)
    assert look(instance, cursor) == "[]"
    assert status(instance, later) == FAILURE


def test_a_run_that_is_at_work_or_that_nobody_here_can_ask_after_is_left_alone(
    instance: dg.DagsterInstance, begin: Begin, ended: int
) -> None:
    runs = [begin(os.getpid()), begin(None), begin(ended, launched=False)]
    cursor = None
    for _ in range(3):
        cursor = look(instance, cursor)
    assert {status(instance, run) for run in runs} == {STARTED}
