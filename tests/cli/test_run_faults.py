"""What is told of a fault or an interrupt that ended a run, within Dagster and outside."""

import signal
import sqlite3

import dagster as dg
import pytest
from sqlalchemy.exc import OperationalError

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.process.interrupts import HeardOnce
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import run_faults
from stoic_assets.cli.run_faults import Interrupted, faults_translated
from stoic_assets.core.errors import (
    ConfigurationError,
    InfrastructureError,
    QueryError,
    ServiceUnreachable,
    StoicError,
)
from stoic_assets.defs.failures import reported

pytestmark = pytest.mark.usefixtures("handlers_are_put_back")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ServiceUnreachable("the graph went away"), ServiceUnreachable),
        (ConfigurationError("a wrong key"), ConfigurationError),
        (KeyError("twins"), KeyError),
        (KeyboardInterrupt(), Interrupted),
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
    with pytest.raises(told) as caught, faults_translated(workplace, str):
        job.execute_in_process(run_config=silent)
    assert isinstance(caught.value, Interrupted) or caught.value is fault


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt(), dg.DagsterExecutionInterruptedError()])
def test_an_interrupt_outside_of_the_steps_is_one_too(workplace: Workplace, interrupt: BaseException) -> None:
    with pytest.raises(Interrupted), faults_translated(workplace, str):
        raise interrupt


def test_after_an_interrupt_no_fault_is_told(workplace: Workplace) -> None:
    """Libraries take it for a fault of theirs."""

    def interrupted() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ServiceUnreachable("the graph went away") from None

    signal.signal(signal.SIGINT, HeardOnce(signal.default_int_handler))
    with pytest.raises(Interrupted), faults_translated(workplace, str):
        interrupted()


def test_a_fault_that_hides_what_was_before_it_is_told_itself(workplace: Workplace) -> None:
    def step() -> None:
        try:
            raise KeyError("not this")
        except KeyError:
            raise dg.Failure("say this") from None

    with pytest.raises(dg.Failure, match="say this"), faults_translated(workplace, str):
        step()


@pytest.mark.parametrize(("free", "advice"), [(10**9, "check who may write there"), (16_000, "free space")])
def test_a_fault_of_dagsters_files_is_only_a_full_disk_if_the_disk_is_full(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, free: int, advice: str
) -> None:
    monkeypatch.setattr(run_faults, "room", lambda _: free)
    told = f"cannot be written: unable to open database file; {advice}; nothing was started$"
    kept = "nothing was started"
    with pytest.raises(StorageError, match=told), faults_translated(workplace, lambda: kept):
        raise OperationalError("connect", {}, sqlite3.OperationalError("unable to open database file"))


@pytest.mark.parametrize(("free", "told"), [(10**9, "^lost$"), (16_000, "the disk is full; free space; all is kept$")])
@pytest.mark.parametrize("kind", [QueryError, InfrastructureError, ServiceUnreachable])
def test_whatever_the_graph_says_on_a_full_disk_the_disk_is_named(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, kind: type[StoicError], free: int, told: str
) -> None:
    monkeypatch.setattr(run_faults, "room", lambda _: free)
    with pytest.raises(StoicError, match=told), faults_translated(workplace, lambda: "all is kept"):
        raise kind("lost")
