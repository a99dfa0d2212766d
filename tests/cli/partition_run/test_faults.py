"""How a run ends that a fault or an interrupt ended, within Dagster and outside."""

import signal
import sqlite3
from collections.abc import Callable

import dagster as dg
import pytest
from sqlalchemy.exc import OperationalError

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.process.interrupts import HeardOnce
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import partition_run
from stoic_assets.core.errors import (
    ConfigurationError,
    InfrastructureError,
    QueryError,
    ServiceUnreachable,
    StoicError,
)
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.stages import EVALUATION
from stoic_assets.defs import event_log
from stoic_assets.defs.failures import reported


def test_a_run_that_fails_without_a_fault_was_interrupted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So Dagster ends one; a build server must not take it for a success."""
    monkeypatch.setattr(partition_run, "_succeeds", lambda *_: False)
    with pytest.raises(partition_run.Interrupted, match="interrupted; nothing was started") as caught:
        partition_run.materialise(workplace, "marcus@1.0.0", "E1", EVALUATION, {})
    assert caught.value.exit_code == 130


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ServiceUnreachable("the graph went away"), ServiceUnreachable),
        (ConfigurationError("a wrong key"), ConfigurationError),
        (KeyError("twins"), KeyError),
        (KeyboardInterrupt(), partition_run.Interrupted),
    ],
)
def test_a_fault_of_a_step_comes_out_of_dagster_as_it_is(
    workplace: Workplace, fault: BaseException, told: type[BaseException]
) -> None:
    @dg.op(retry_policy=dg.RetryPolicy(max_retries=1))
    def faulty() -> None:
        with reported(workplace):
            raise fault

    @dg.job
    def job() -> None:
        faulty()

    silent = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with pytest.raises(told) as caught, partition_run.faults_translated(workplace, str):
        job.execute_in_process(run_config=silent)
    assert isinstance(caught.value, partition_run.Interrupted) or caught.value is fault


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt(), dg.DagsterExecutionInterruptedError()])
def test_an_interrupt_outside_of_the_steps_is_one_too(workplace: Workplace, interrupt: BaseException) -> None:
    with pytest.raises(partition_run.Interrupted), partition_run.faults_translated(workplace, str):
        raise interrupt


def test_after_an_interrupt_no_fault_is_told(workplace: Workplace) -> None:
    """Libraries take it for a fault of theirs."""

    def interrupted() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ServiceUnreachable("the graph went away") from None

    signal.signal(signal.SIGINT, HeardOnce(signal.default_int_handler))
    with pytest.raises(partition_run.Interrupted), partition_run.faults_translated(workplace, str):
        interrupted()


def test_dagster_hears_an_interrupt_once(workplace: Workplace) -> None:
    ended: list[str] = []

    @dg.op(retry_policy=dg.RetryPolicy(max_retries=1))
    def stopped() -> None:
        with reported(workplace):
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGINT)
                ended.append("in good order")

    @dg.job
    def job() -> None:
        stopped()

    silent = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with (
        pytest.raises(partition_run.Interrupted), partition_run.faults_translated(workplace, str),
        partition_run._interrupts_heard_once(),
    ):
        job.execute_in_process(run_config=silent)
    assert ended == ["in good order"]


def test_where_ctrl_c_is_ignored_dagster_does_not_hear_it_either() -> None:
    @dg.op
    def undisturbed() -> str:
        signal.raise_signal(signal.SIGINT)
        return "the end"

    @dg.job
    def job() -> None:
        undisturbed()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silent = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    term = signal.getsignal(signal.SIGTERM)
    with partition_run._interrupts_heard_once():
        assert job.execute_in_process(run_config=silent).output_for_node("undisturbed") == "the end"
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == (signal.SIG_IGN, term)


def test_a_fault_that_hides_what_was_before_it_is_told_itself(workplace: Workplace) -> None:
    def step() -> None:
        try:
            raise KeyError("not this")
        except KeyError:
            raise dg.Failure("say this") from None

    with pytest.raises(dg.Failure, match="say this"), partition_run.faults_translated(workplace, str):
        step()


def test_what_dagster_cannot_record_is_told_by_us_alone(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = event_log.KeptEventLog.store_event

    def full(log: event_log.KeptEventLog, event: dg.EventLogEntry) -> None:
        if event.dagster_event_type is dg.DagsterEventType.STEP_START:
            raise OperationalError("insert", {}, sqlite3.OperationalError("database or disk is full"))
        store(log, event)

    monkeypatch.setattr(event_log.KeptEventLog, "store_event", full)
    manifest = make_manifest()
    with pytest.raises(StorageError, match="cannot be written: database or disk is full; free space; nothing was"):
        partition_run.materialise(workplace, manifest.agent_version, manifest.evaluation_id, ("weak_virtues",), {})
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("free", "advice"), [(10**9, "check who may write there"), (16_000, "free space")])
def test_a_fault_of_dagsters_files_is_only_a_full_disk_if_the_disk_is_full(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, free: int, advice: str
) -> None:
    monkeypatch.setattr(partition_run, "room", lambda _: free)
    told = f"cannot be written: unable to open database file; {advice}; nothing was started$"
    kept = "nothing was started"
    with pytest.raises(StorageError, match=told), partition_run.faults_translated(workplace, lambda: kept):
        raise OperationalError("connect", {}, sqlite3.OperationalError("unable to open database file"))


@pytest.mark.parametrize(("free", "told"), [(10**9, "^lost$"), (16_000, "the disk is full; free space; all is kept$")])
@pytest.mark.parametrize("kind", [QueryError, InfrastructureError, ServiceUnreachable])
def test_whatever_the_graph_says_on_a_full_disk_the_disk_is_named(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, kind: type[StoicError], free: int, told: str
) -> None:
    monkeypatch.setattr(partition_run, "room", lambda _: free)
    with pytest.raises(StoicError, match=told), partition_run.faults_translated(workplace, lambda: "all is kept"):
        raise kind("lost")
