"""Runs that really fail, and what the webhook gets to know of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from code_server_runs import begun, give_up, work
from dagster._core.events import EngineEventData, JobFailureData, RunFailureReason
from dagster._utils.error import SerializableErrorInfo

from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.failures import reported
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.run_failures import failed_runs

VERSION, KEY = "marcus@1.0.0", "very-secret-key"
Look = Callable[[Any], list[dict[str, Any]]]


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    env = {"STOIC_HOME": str(tmp_path / "home"), "AGENT_API_KEY": KEY}
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        opened.add_dynamic_partitions("agent_version", [VERSION])
        yield opened


@dg.asset(partitions_def=agent_versions)
def transcripts(workplace: dg.ResourceParam[Workplace]) -> None:
    with reported(workplace):
        raise ConfigurationError(f"the agent refuses the key {KEY}; set AGENT_API_KEY")


@dg.asset
def job_configs() -> None:
    raise ZeroDivisionError("division by zero")


@pytest.fixture
def look(
    workplace: Workplace, instance: dg.DagsterInstance, told: Callable[[], list[dict[str, Any]]]
) -> Look:
    """The events that wait after the sensor looked at a failed run twice."""

    def looked(result: Any) -> list[dict[str, Any]]:
        [failure] = [event for event in result.all_events if event.event_type_value == "PIPELINE_FAILURE"]
        for _ in range(2):
            context = dg.build_run_status_sensor_context(
                "failed_runs", failure, instance, result.dagster_run, resources={"workplace": workplace}
            )
            failed_runs(context.for_run_failure())
        return told()

    return looked


def test_a_run_that_failed_before_its_evaluation_began_is_told_by_its_one_line(
    workplace: Workplace, instance: dg.DagsterInstance, look: Look
) -> None:
    tags = {"stoic/evaluation_id": "release-1"}
    result = dg.materialize(
        [transcripts], instance=instance, partition_key=VERSION, tags=tags, raise_on_error=False,
        resources={"workplace": workplace},
    )
    assert KEY not in str(instance.all_logs(result.run_id))
    [event] = look(result)
    assert (event["type"], event["subject"]) == ("stoic.run_failed", VERSION)
    assert event["data"] == {
        "job": "__ephemeral_asset_job__", "run_id": result.run_id, "partition": VERSION, "agent_version": VERSION,
        "evaluation_id": None, "error": "the agent refuses the key [redacted]; set AGENT_API_KEY",
    }


def test_an_error_that_nobody_expected_is_told_too(instance: dg.DagsterInstance, look: Look) -> None:
    result = dg.materialize([job_configs], instance=instance, raise_on_error=False)
    [event] = look(result)
    assert event["subject"] == event["data"]["job"]
    assert event["data"]["error"] == "ZeroDivisionError: division by zero"


def test_an_error_of_many_lines_is_told_in_one(instance: dg.DagsterInstance, look: Look) -> None:
    @dg.asset
    def wordy() -> None:
        raise LookupError("these are no partitions:\n\n   ['marcus']\n")

    result = dg.materialize([wordy], instance=instance, raise_on_error=False)
    [event] = look(result)
    assert event["data"]["error"] == "LookupError: these are no partitions: ['marcus']"


def test_a_run_that_is_begun_once_more_is_not_told(instance: dg.DagsterInstance, look: Look) -> None:
    result = dg.materialize([job_configs], instance=instance, raise_on_error=False)
    instance.add_run_tags(result.run_id, {"dagster/will_retry": "true"})
    assert look(result) == []
    instance.add_run_tags(result.run_id, {"dagster/will_retry": "false"})
    assert len(look(result)) == 1


def test_a_run_that_could_not_be_begun_once_more_is_told_when_it_has_failed_for_good(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sensor `lost_runs` lets it fail again, so that Dagster tries again to begin it; then once more, for good."""
    monkeypatch.setattr(instance, "_settings", {"run_retries": {"enabled": True, "max_retries": 1}})
    run = begun(instance, work, {})
    told = []
    for _ in range(2):
        failed = SimpleNamespace(all_events=[instance.report_run_failed(run)], dagster_run=run)
        give_up(instance, run.run_id)
        told += look(failed)
    assert told == []
    failed = SimpleNamespace(all_events=[instance.report_run_failed(run)], dagster_run=run)
    instance.add_run_tags(run.run_id, {"dagster/will_retry": "false"})
    assert [event["type"] for event in look(failed)] == ["stoic.run_failed"]


def test_a_run_is_told_once_the_outbox_can_be_written_again(
    workplace: Workplace, instance: dg.DagsterInstance, told: Callable[[], list[dict[str, Any]]]
) -> None:
    def tick(cursor: str | None) -> str | None:
        resources = {"workplace": workplace}
        with dg.build_sensor_context(instance, cursor, resources=resources) as context:
            return failed_runs.evaluate_tick(context).cursor

    begin = tick(None)
    dg.materialize([job_configs], instance=instance, raise_on_error=False)
    outbox = workplace.project.home / "outbox"
    outbox.write_text("in the way")
    with pytest.raises(dg.DagsterError, match="outbox"):  # and so the cursor stays
        tick(begin)
    outbox.unlink()
    end = tick(begin)
    assert [event["type"] for event in told()] == ["stoic.run_failed"]
    assert tick(end) == end


@pytest.mark.parametrize(
    ("reason", "retries", "events"),
    [
        (None, {"enabled": True, "max_retries": 1}, 0),
        (RunFailureReason.RUN_EXCEPTION, {"enabled": True, "max_retries": 1}, 0),
        (RunFailureReason.STEP_FAILURE, {"enabled": True, "max_retries": 1}, 1),
        (None, {"enabled": True, "max_retries": 0}, 1),
        (None, {"enabled": False}, 1),
    ],
)
def test_a_run_that_will_be_begun_once_more_is_not_told_before_dagster_says_so(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch,
    reason: RunFailureReason | None, retries: dict[str, Any], events: int,
) -> None:  # fmt: skip
    """Dagster stores the failure, then the run's status, then the tag."""

    settings = {"run_retries": {**retries, "retry_on_asset_or_op_failure": False}}
    monkeypatch.setattr(instance, "_settings", settings)
    run = instance.create_run_for_job(work, status=dg.DagsterRunStatus.STARTED)
    data = reason and JobFailureData(error=None, failure_reason=reason, first_step_failure_event=None)
    failure = dg.DagsterEvent("PIPELINE_FAILURE", "work", message="lost", event_specific_data=data)
    assert len(look(SimpleNamespace(all_events=[failure], dagster_run=run))) == events


def test_a_run_is_told_with_the_evaluation_that_it_took_up(
    workplace: Workplace, instance: dg.DagsterInstance, look: Look, make_manifest: Callable[..., Manifest]
) -> None:
    workplace.evidence.begin(make_manifest(agent_version=VERSION, evaluation_id="E1"))
    result = dg.materialize(
        [transcripts], instance=instance, partition_key=VERSION, raise_on_error=False,
        resources={"workplace": workplace},
    )
    [event] = look(result)
    assert event["data"]["evaluation_id"] is None
    instance.add_run_tags(result.run_id, {"stoic/evaluation_id": "E1"})
    [event] = look(result)
    assert event["data"]["evaluation_id"] == "E1"


@pytest.mark.parametrize("key", ["marcus", "../x@1"])
def test_a_partition_that_is_no_version_is_told_as_none(
    workplace: Workplace, instance: dg.DagsterInstance, look: Look, key: str
) -> None:
    instance.add_dynamic_partitions("agent_version", [key])
    result = dg.materialize(
        [transcripts], instance=instance, partition_key=key, raise_on_error=False, resources={"workplace": workplace}
    )
    [event] = look(result)
    assert (event["data"]["partition"], event["data"]["agent_version"]) == (key, None)


@pytest.mark.parametrize("evaluation_id", ["E1", "E2", None])
def test_a_run_that_lost_its_process_is_told_with_the_way_on(
    workplace: Workplace, instance: dg.DagsterInstance, look: Look, make_manifest: Callable[..., Manifest],
    evaluation_id: str | None,
) -> None:
    workplace.evidence.begin(make_manifest(agent_version=VERSION, evaluation_id="E1"))

    tags = {"dagster/partition": VERSION} | ({"stoic/evaluation_id": evaluation_id} if evaluation_id else {})
    run = instance.create_run_for_job(work, tags=tags, status=dg.DagsterRunStatus.STARTED)
    instance.report_run_failed(run)
    logged = [record.dagster_event for record in instance.all_logs(run.run_id) if record.dagster_event]
    [event] = look(SimpleNamespace(all_events=logged, dagster_run=run))
    way = f"; continue with `stoic eval --agent-version {VERSION} --resume E1`"
    assert event["data"]["error"].endswith(way if evaluation_id == "E1" else "outside the execution context.")


@pytest.mark.parametrize("terminated", [False, True])
def test_a_run_that_a_user_ended_by_force_is_not_told(
    instance: dg.DagsterInstance, look: Look, terminated: bool
) -> None:
    """Its process notices the termination later, as a failed step. Too long a run is canceled too, but has failed."""

    run = instance.create_run_for_job(work, status=dg.DagsterRunStatus.STARTED)
    instance.report_run_canceling(run)
    if terminated:
        instance.report_run_canceled(run)
    instance.report_run_failed(run)
    if not terminated:
        instance.report_run_canceled(run)
    logged = [record.dagster_event for record in instance.all_logs(run.run_id) if record.dagster_event]
    told = look(SimpleNamespace(all_events=logged, dagster_run=run))
    assert [event["type"] for event in told] == ([] if terminated else ["stoic.run_failed"])


@pytest.mark.parametrize("started", [False, True])
def test_a_run_that_could_not_be_started_is_told_why(
    instance: dg.DagsterInstance, look: Look, started: bool
) -> None:
    """Dagster's queue notes it; one that started at a second try failed for another reason."""

    run = instance.create_run_for_job(work, status=dg.DagsterRunStatus.STARTING)
    below = SerializableErrorInfo("<_InactiveRpcError of RPC that\n\tstatus = 14\n>\n", [], "_InactiveRpcError")
    error = SerializableErrorInfo("Unreachable: no server\n", [], "Unreachable", cause=below)
    instance.report_engine_event("it is dropped from the queue", run, EngineEventData.engine_error(error))
    if started:
        instance.report_engine_event("it has a process", run)
    instance.report_run_failed(run)
    instance.report_engine_event("Not retrying run", run)
    logged = [record.dagster_event for record in instance.all_logs(run.run_id) if record.dagster_event]
    [event] = look(SimpleNamespace(all_events=logged, dagster_run=run))
    because = "it could not be started: Unreachable: no server"
    assert (event["data"]["error"] == because) is not started
