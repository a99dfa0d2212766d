"""What a fault leaves of a step: a failure that is not tried again, or a wait where nobody would try again."""

import logging
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from code_server_runs import origin_of
from dagster._core.storage.tags import SCHEDULE_NAME_TAG, SENSOR_NAME_TAG

from stoic_assets.adapters.disk.release_files import load_release
from stoic_assets.adapters.warehouse.duckdb_engine import is_interrupt
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable, StoicError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs import failures
from stoic_assets.defs.assembly import build_definitions
from stoic_assets.defs.evolution import stoic_graph_projection
from stoic_assets.defs.failures import INTERRUPTED, RETRIED_TAG, UNATTENDED, has_ended, reported
from stoic_assets.defs.judging import verdicts
from stoic_assets.defs.preparation import graph_setup
from stoic_assets.defs.releases import digest_of
from stoic_assets.defs.transcripts import transcripts


@pytest.mark.parametrize(
    ("status", "tags", "retries", "of_command", "ended"),
    [
        ("STARTED", {}, True, False, False),
        ("SUCCESS", {}, True, False, True),
        ("CANCELED", {}, True, False, True),
        ("FAILURE", {}, False, False, True),
        ("FAILURE", {}, True, False, False),
        ("FAILURE", {RETRIED_TAG: "false"}, True, False, True),
        ("FAILURE", {RETRIED_TAG: "true"}, True, False, False),
        ("FAILURE", {RETRIED_TAG: "true", "dagster/auto_retry_run_id": "r2"}, True, False, True),
        ("FAILURE", {RETRIED_TAG: "true"}, True, True, True),
    ],
)
def test_a_run_that_dagster_starts_again_has_not_ended(
    status: str, tags: dict[str, str], retries: bool, of_command: bool, ended: bool
) -> None:
    origin = None if of_command else origin_of("j")
    run = dg.DagsterRun("j", status=dg.DagsterRunStatus(status), tags=tags, remote_job_origin=origin)
    noted = SimpleNamespace(records=[])
    instance: Any = SimpleNamespace(run_retries_enabled=retries, get_records_for_run=lambda *_, **__: noted)
    assert has_ended(instance, run) == ended


def test_an_interrupt_that_duckdb_tells_in_words_is_no_fault_to_try_again(workplace: Workplace) -> None:
    with pytest.raises(dg.Failure) as failed, reported(workplace):
        raise RuntimeError("Query interrupted")
    assert (failed.value.description, failed.value.allow_retries) == (INTERRUPTED, False)
    assert isinstance(failed.value.__cause__, KeyboardInterrupt)


def test_other_errors_are_no_interrupts(workplace: Workplace) -> None:
    assert not is_interrupt(ValueError("Query interrupted"))
    with pytest.raises(RuntimeError, match="broken"), reported(workplace):
        raise RuntimeError("broken")


@pytest.fixture
def run(
    workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Any, int]]:
    """A run of one step whose first tries meet a fault; and how often it was tried."""
    monkeypatch.setattr(failures, "WAITS", (0.01, 0.02))

    def ran(fault: StoicError, times: int, **tags: str) -> tuple[Any, int]:
        tries: list[int] = []

        @dg.asset
        def transcripts(context: dg.AssetExecutionContext) -> None:
            with reported(workplace, context):
                tries.append(context.retry_number)
                if len(tries) <= times:
                    raise fault

        return dg.materialize([transcripts], instance=instance, tags=tags, raise_on_error=False), len(tries)

    return ran


@pytest.mark.parametrize("tag", [SENSOR_NAME_TAG, SCHEDULE_NAME_TAG])
def test_a_run_that_nobody_watches_waits_for_a_service(run: Callable[..., tuple[Any, int]], tag: str) -> None:
    result, tries = run(ServiceUnreachable("nobody there"), 2, **{tag: "new_releases"})
    assert (result.success, tries) == (True, 3)


def test_it_gives_up_at_last_and_says_why(run: Callable[..., tuple[Any, int]]) -> None:
    result, tries = run(ServiceUnreachable("nobody there"), 9, **{UNATTENDED[0]: "new_releases"})
    [failure] = [event for event in result.all_events if event.is_step_failure]
    assert (tries, failure.step_failure_data.user_failure_data.description) == (3, "nobody there")


@pytest.mark.parametrize(
    ("fault", "tags"),
    [(ServiceUnreachable("nobody there"), {}), (ConfigurationError("wrong key"), {UNATTENDED[0]: "new_releases"})],
)
def test_somebody_who_watches_and_what_no_time_mends_are_told_at_once(
    run: Callable[..., tuple[Any, int]], fault: StoicError, tags: dict[str, str]
) -> None:
    result, tries = run(fault, 1, **tags)
    assert (result.success, tries) == (False, 1)


def test_while_it_waits_it_says_why_and_can_be_terminated(
    run: Callable[..., tuple[Any, int]], instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def terminated(_: float) -> None:
        raise dg.DagsterExecutionInterruptedError

    monkeypatch.setattr("time.sleep", terminated)
    result, tries = run(ServiceUnreachable("nobody there"), 9, **{UNATTENDED[0]: "new_releases"})
    [failure] = [event for event in result.all_events if event.is_step_failure]
    assert (tries, failure.step_failure_data.user_failure_data.description) == (1, INTERRUPTED)
    warned = [entry.user_message for entry in instance.all_logs(result.run_id) if entry.level == logging.WARNING]
    assert warned == ["nobody there; another try in 0.01 seconds"]


@pytest.mark.parametrize(
    ("step", "called"),
    [
        (graph_setup, "preparation.introduce_version"), (transcripts, "transcripts.hold_evaluation"),
        (verdicts, "judging._judging"), (stoic_graph_projection, "evolution.project"),
    ],
)
def test_what_a_sensor_started_waits_for_agents_models_and_graphs(
    workplace: Workplace, instance: dg.DagsterInstance, make_manifest: Callable[..., Manifest],
    monkeypatch: pytest.MonkeyPatch, step: dg.AssetsDefinition, called: str,
) -> None:  # fmt: skip
    def gone(*_: object, **__: object) -> None:
        raise ServiceUnreachable("nobody there")

    workplace.evidence.begin(make_manifest())
    release(workplace)
    monkeypatch.setattr(f"stoic_assets.defs.{called}", gone)
    monkeypatch.setattr(failures, "WAITS", (0.01,))
    result = dg.materialize(
        [step], resources={"workplace": workplace}, instance=instance, partition_key="marcus@1.0.0",
        tags={EVALUATION_TAG: "E1", SENSOR_NAME_TAG: "new_releases"}, raise_on_error=False,
    )  # fmt: skip
    warned = [entry.user_message for entry in instance.all_logs(result.run_id) if entry.level == logging.WARNING]
    assert warned == ["nobody there; another try in 0.01 seconds"]


def test_a_release_that_is_withdrawn_while_its_run_waits_is_not_evaluated_with_another_agent(
    workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        assert manifest.exists(), "nobody is asked any more"
        manifest.unlink()
        raise ServiceUnreachable("nobody there")

    manifest = release(workplace)
    monkeypatch.setattr("stoic_assets.defs.transcripts.hold_evaluation", gone)
    monkeypatch.setattr(failures, "WAITS", (0.01,))
    result = dg.materialize(
        [transcripts], resources={"workplace": workplace}, instance=instance, partition_key="marcus@1.0.0",
        tags={SENSOR_NAME_TAG: "new_releases"}, raise_on_error=False,
    )  # fmt: skip
    [failure] = [event for event in result.all_events if event.is_step_failure]
    told = failure.step_failure_data.user_failure_data
    assert told.description == "the manifest of marcus@1.0.0 was deleted; nothing is evaluated"


@pytest.mark.parametrize("begun", [False, True])
def test_a_release_that_is_corrected_while_its_run_waits_is_left_to_its_next_run(
    workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch,
    make_manifest: Callable[..., Manifest], begun: bool,
) -> None:  # fmt: skip
    tries: list[str] = []

    def gone(*_: object, **__: object) -> None:
        tries.append(manifest.read_text())
        manifest.write_text(f"# the right address\n{manifest.read_text().replace('8083', '8084')}")
        raise ServiceUnreachable("nobody there")

    manifest = release(workplace)
    read = load_release(workplace.project.releases, "marcus@1.0.0")
    assert read
    requested = f"release-{digest_of(read)}-2"
    if begun:
        workplace.evidence.begin(make_manifest(evaluation_id=requested))
    monkeypatch.setattr("stoic_assets.defs.transcripts.hold_evaluation", gone)
    monkeypatch.setattr(failures, "WAITS", (0.01,))
    result = dg.materialize(
        [transcripts], resources={"workplace": workplace}, instance=instance, partition_key="marcus@1.0.0",
        tags={SENSOR_NAME_TAG: "new_releases", EVALUATION_TAG: requested}, raise_on_error=False,
    )  # fmt: skip
    [failure] = [event for event in result.all_events if event.is_step_failure]
    told = failure.step_failure_data.user_failure_data
    assert len(tries) == (2 if begun else 1)
    replaced = "the manifest of marcus@1.0.0 has changed, and another run evaluates it as it is now"
    assert told.description.startswith("nobody there" if begun else replaced)


def release(workplace: Workplace) -> Path:
    """The manifest of a live version, in a project with one job."""
    project = workplace.project
    project.jobs.mkdir()
    (project.jobs / "chat.yml").write_text(
        "target: {user: u, chatbot: marcus}\ntasks: [{task: t, acceptanceCriteria: a}]\n"
    )
    project.releases.mkdir()
    manifest = project.releases / "1.0.0.yml"
    manifest.write_text("{agent: marcus, version: 1.0.0, url: 'http://localhost:8083'}")
    return manifest


def test_steps_that_talk_to_networks_are_tried_again_but_none_that_would_be_paid_for_again(
    workplace: Workplace
) -> None:
    steps = [each for each in build_definitions(workplace).assets or () if isinstance(each, dg.AssetsDefinition)]
    policies = {key.to_user_string(): step.op.retry_policy for step in steps for key in step.keys}
    assert {name for name, policy in policies.items() if policy and policy.max_retries > 0} == {
        "graph_setup", "transcripts", "virtue_scores", "task_scores", "fitness_updates", "stoic_graph_projection",
        "human_feedback_evaluations", "nightly_conversations",
    }
    assert policies["judge_drift"] is None
