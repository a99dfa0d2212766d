"""Runs of commands: what was begun goes on, and what ends one is heard once."""

import signal
import sqlite3
import sys
from collections.abc import Callable

import dagster as dg
import pytest
from sqlalchemy.exc import OperationalError

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.disk.json_lines import LinesLost
from stoic_assets.adapters.graph.graphs import GraphUse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import partition_run
from stoic_assets.cli.run_faults import Interrupted, faults_translated
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.errors import Busy, ConfigurationError, ServiceUnreachable, StoicError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.resuming import ResumeRefused
from stoic_assets.core.stages import EVALUATION, PARTITIONS, VERDICTS
from stoic_assets.defs import event_log
from stoic_assets.defs.failures import reported

pytestmark = pytest.mark.usefixtures("handlers_are_put_back")
PREPARATION = "stoic_assets.defs.assembly.build_definitions"
"""Takes seconds, with the imports before it."""
RUN = "stoic_assets.cli.partition_run.fail_dead_runs"


@pytest.fixture(autouse=True)
def no_graph_server_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes two seconds, and no step here uses it."""
    monkeypatch.setattr(GraphUse, "start", lambda _: None)


def test_an_evaluation_that_another_process_works_on_is_left_to_it(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its runs are alive, and everything would be paid for twice."""
    manifest, gone_on = make_manifest(), list[object]()
    workplace.evidence.begin(manifest)
    monkeypatch.setattr(partition_run, "fail_dead_runs", lambda *_: gone_on.append(1))
    key = manifest.agent_version, manifest.evaluation_id
    with locked(workplace.evidence.folder(*key) / "lock"), pytest.raises(Busy, match="is running in another process"):
        partition_run.materialise(workplace, *key, VERDICTS, {})
    assert not gone_on


@pytest.mark.parametrize("place", ["stoic_assets.cli.partition_run.import_clients", PREPARATION, RUN])
@pytest.mark.parametrize(
    ("begun", "said"), [(False, "nothing was started"), (True, "results so far are stored; continue with `stoic")]
)
def test_only_what_was_begun_goes_on(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    begun: bool, said: str, place: str,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    if begun:
        workplace.evidence.journal_file(manifest).touch()
    monkeypatch.setattr(place, interrupted)
    with pytest.raises(Interrupted, match=f"^interrupted; {said}"):
        partition_run.materialise(workplace, manifest.agent_version, manifest.evaluation_id, ("job_configs",), {})


@pytest.mark.parametrize(
    ("begun", "kind", "said", "names_a_way"),
    [
        (True, ConfigurationError, "no credit left", False),
        (False, ConfigurationError, "no credit left", False),
        (True, ServiceUnreachable, "gone; repeat `stoic regrade`", True),
        (True, ResumeRefused, "the job was changed", True),
        (True, BudgetReached, "judge again with a higher --max-cost", True),
        (True, Busy, "is running in another process", True),
        (True, LinesLost, "journal.jsonl:2 is damaged; restore the file from a backup", True),
    ],
)
def test_a_fault_that_names_no_way_to_go_on_is_given_one_if_anything_was_begun(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    kind: type[StoicError], said: str, names_a_way: bool, begun: bool,
) -> None:
    def failing(*_: object) -> None:
        raise kind(said)

    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    if begun:
        workplace.evidence.journal_file(manifest).touch()
    monkeypatch.setattr(RUN, failing)
    config: dict[str, dict[str, float]] = {"transcripts": {"max_cost": 0.0}, "verdicts": {"max_cost": 0.0}}
    with pytest.raises(StoicError) as caught:
        partition_run.materialise(workplace, manifest.agent_version, manifest.evaluation_id, ("transcripts",), config)
    command = f"`stoic eval --agent-version {manifest.agent_version} --resume {manifest.evaluation_id}`"
    notes = [f"results so far are stored; continue with {command} and --max-cost 0"]
    assert getattr(caught.value, "__notes__", []) == (notes if begun and not names_a_way else [])


def test_what_a_step_prints_is_no_result_of_the_command(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @dg.asset(partitions_def=dg.DynamicPartitionsDefinition(name=PARTITIONS))
    def step() -> None:
        sys.stdout.write("a library says something\n")

    monkeypatch.setattr(PREPARATION, lambda _: dg.Definitions(assets=[step]))
    partition_run.materialise(workplace, "marcus@1.0.0", "E1", ("step",), {})
    assert capsys.readouterr() == ("", "a library says something\n")


def test_a_run_that_fails_without_a_fault_was_interrupted(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So Dagster ends one; a build server must not take it for a success."""
    monkeypatch.setattr(partition_run, "_succeeds", lambda *_: False)
    with pytest.raises(Interrupted, match="interrupted; nothing was started") as caught:
        partition_run.materialise(workplace, "marcus@1.0.0", "E1", EVALUATION, {})
    assert caught.value.exit_code == 130


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
        pytest.raises(Interrupted), faults_translated(workplace, str),
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
