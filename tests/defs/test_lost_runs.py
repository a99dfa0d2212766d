"""Runs that a code server began, and what becomes of those whose process is gone."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest
from code_server_runs import begun as begun_by_server
from code_server_runs import give_up, origin_of, work
from dagster._core.events import EngineEventData
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._core.utils import make_new_run_id
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG as TASK

from stoic_assets.adapters.process.runs_at_work import at_work, remembered_runs
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.stages import WORKER_TAG
from stoic_assets.defs.celery_runs import CeleryRuns
from stoic_assets.defs.failures import has_ended
from stoic_assets.defs.lost_runs import lost_runs
from stoic_assets.defs.releases import PARTITION_TAG
from stoic_assets.defs.resources import WorkplaceResource

STARTED, FAILURE = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.FAILURE
Process = subprocess.Popen[bytes]
Look = Callable[..., str | None]

WORKING = """
import sys
from pathlib import Path
from stoic_assets.adapters.process.runs_at_work import at_work
with at_work(Path(sys.argv[1]), sys.argv[2]):
    print(flush=True)
    input()
"""


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture
def processes(workplace: Workplace) -> Iterator[Callable[[str], Process]]:
    """Processes of their own that work on a run until they are killed."""
    with ExitStack() as stack:

        def work_on(run_id: str) -> Process:
            command, pipe = [sys.executable, "-c", WORKING, workplace.project.home, run_id], subprocess.PIPE
            process = stack.enter_context(subprocess.Popen(command, stdin=pipe, stdout=pipe))
            stack.callback(process.kill)
            assert process.stdout
            assert process.stdout.readline()
            return process

        yield work_on


@pytest.fixture
def look(instance: dg.DagsterInstance, workplace: Workplace) -> Look:
    def looked(cursor: str | None = None) -> str | None:
        with dg.build_sensor_context(instance, cursor, resources={"workplace": workplace}) as context:
            context._code_location_origin = RegisteredCodeLocationOrigin("stoic")
            found = lost_runs(context)
        assert isinstance(found, dg.SensorResult)
        return found.cursor

    return looked


def begun(instance: dg.DagsterInstance) -> str:
    return instance.create_run_for_job(work, status=STARTED, tags={GRPC_INFO_TAG: "{}"}).run_id


def run_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRun:
    run = instance.get_run_by_id(run_id)
    assert run
    return run


def test_a_run_whose_process_is_gone_at_two_looks_has_failed(
    instance: dg.DagsterInstance, workplace: Workplace, processes: Callable[[str], Process], look: Look
) -> None:
    lost, later, working = (begun(instance) for _ in range(3))
    processes(working)
    killed, last = processes(lost), processes(later)

    def statuses() -> list[dg.DagsterRunStatus]:
        return [run_of(instance, run_id).status for run_id in (lost, later, working)]

    killed.kill()
    killed.wait()
    cursor = look()
    assert statuses() == [STARTED] * 3  # Dagster has its second
    last.kill()
    last.wait()
    cursor = look(cursor)
    assert statuses() == [FAILURE, STARTED, STARTED]
    assert look(cursor) == "[]"
    assert statuses() == [FAILURE, FAILURE, STARTED]
    look()
    assert remembered_runs(workplace.project.home) == [working]


def test_a_run_of_which_nothing_can_be_seen_here_is_left_alone(instance: dg.DagsterInstance, look: Look) -> None:
    """One on a machine of other folders: the id of its process is none here, and may be anybody's elsewhere."""
    elsewhere = begun(instance)
    with subprocess.Popen(["true"]) as process:
        ended = process.pid
    noted = EngineEventData.in_process(ended)
    instance.report_engine_event("Started process for run", run_of(instance, elsewhere), noted)
    cursor = None
    for _ in range(3):
        cursor = look(cursor)
    assert run_of(instance, elsewhere).status == STARTED


def test_a_run_that_was_killed_before_it_locked_its_file_has_failed_unless_its_code_server_sees_it(
    instance: dg.DagsterInstance, look: Look, tmp_path: Path
) -> None:
    def begin(**server: str) -> dg.DagsterRun:
        return begun_by_server(instance, work, {GRPC_INFO_TAG: json.dumps(server)})

    serving, left = begin(socket=f"{tmp_path}/serving"), begin(socket=f"{tmp_path}/left")
    restarted, far = begin(socket=f"{tmp_path}/none"), begin(host="other", port="4000")
    location = RegisteredCodeLocationOrigin("another")  # whose runs lock no files
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(location, "repository"), "work")
    foreign = instance.add_run(restarted._replace(run_id=make_new_run_id(), remote_job_origin=origin))
    on_worker = begin(socket=f"{tmp_path}/none")  # as the run was told that it resumes
    instance.add_run_tags(on_worker.run_id, {WORKER_TAG: "celery@far"})
    with socket.socket(socket.AF_UNIX) as server:
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(f"{tmp_path}/left")
        server.bind(f"{tmp_path}/serving")
        server.listen()
        cursor = look()
        assert run_of(instance, left.run_id).status == STARTED
        assert look(cursor) == "[]"
    statuses = [run_of(instance, run.run_id).status for run in (left, restarted, serving, far, foreign, on_worker)]
    assert statuses == [FAILURE, FAILURE, *[STARTED] * 4]


def test_a_run_that_was_created_and_never_queued_has_failed_after_a_while(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = dg.DagsterRunStatus.NOT_STARTED
    stuck = instance.add_run(dg.DagsterRun("work", make_new_run_id(), remote_job_origin=origin_of("work")))
    elsewhere = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("another"), "repository")
    origin = RemoteJobOrigin(elsewhere, "work")
    foreign = instance.add_run(stuck._replace(run_id=make_new_run_id(), remote_job_origin=origin))
    of_command = instance.create_run_for_job(work, status=created)

    def statuses() -> list[dg.DagsterRunStatus]:
        return [run_of(instance, run.run_id).status for run in (stuck, foreign, of_command)]

    look()
    assert statuses() == [created] * 3  # Dagster may be about to queue it
    monkeypatch.setattr("stoic_assets.defs.lost_runs.QUEUED_WITHIN", timedelta(0))
    look()
    assert statuses() == [FAILURE, created, created]


def test_the_run_of_a_command_has_failed_once_nobody_holds_its_evaluation(
    instance: dg.DagsterInstance, workplace: Workplace, look: Look
) -> None:
    @dg.job(partitions_def=dg.DynamicPartitionsDefinition(name="agent_version"))
    def work() -> None: ...

    def begin(evaluation_id: str) -> str:
        tags = {PARTITION_TAG: "marcus@1", EVALUATION_TAG: evaluation_id}
        return instance.create_run_for_job(work, status=STARTED, tags=tags).run_id

    at_work, killed, elsewhere = begin("at-work"), begin("killed"), begin("elsewhere")
    with workplace.evidence.locked("marcus@1", "killed"):
        pass  # the file of the lock stays, as it does after a kill
    with workplace.evidence.locked("marcus@1", "at-work"):
        look(look())
    statuses = [run_of(instance, run_id).status for run_id in (at_work, killed, elsewhere)]
    assert statuses == [STARTED, FAILURE, STARTED]


def test_a_run_whose_worker_died_before_its_start_has_failed_at_the_second_look(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(status: dg.DagsterRunStatus, **tags: str) -> str:
        return instance.create_run_for_job(work, status=status, tags=tags | {TASK: "task"}).run_id

    workers = CeleryRuns(default_queue="dagster")
    monkeypatch.setattr(type(instance), "run_launcher", workers)
    starting, worker = dg.DagsterRunStatus.STARTING, {WORKER_TAG: "celery@far"}
    lost, at_work, late = begin(starting, **worker), begin(starting, **worker), begin(starting, **worker)
    waiting, again, started = begin(starting), begin(starting, **{WORKER_TAG: ""}), begin(STARTED, **worker)
    has = {at_work}
    monkeypatch.setattr(workers, "is_at_work", lambda run: run.run_id in has)
    cursor = look()
    has.add(late)
    assert run_of(instance, lost).status == starting
    assert look(cursor) == "[]"
    statuses = [run_of(instance, run_id).status for run_id in (lost, at_work, late, waiting, again, started)]
    assert statuses == [FAILURE, *[starting] * 4, STARTED]


def test_a_run_that_started_on_a_worker_is_left_to_the_launcher(
    instance: dg.DagsterInstance, workplace: Workplace, look: Look
) -> None:
    started = begun(instance)
    instance.add_run_tags(started, {WORKER_TAG: "celery@far"})
    with at_work(workplace.project.home, started):
        pass
    look(look())
    assert run_of(instance, started).status == STARTED
    assert remembered_runs(workplace.project.home) == [started]


@pytest.fixture
def retrying(instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    """The instance starts lost runs again."""
    monkeypatch.setattr(instance, "_settings", {"run_retries": {"enabled": True, "max_retries": 1}})


@pytest.fixture
def impatient(retrying: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, and Dagster has had its time to do so."""
    monkeypatch.setattr("stoic_assets.defs.lost_runs.RETRIED_WITHIN", timedelta(0))


def failures(instance: dg.DagsterInstance, *runs: dg.DagsterRun) -> list[int]:
    """How often each of them failed."""
    kind = dg.DagsterEventType.RUN_FAILURE
    return [len(instance.get_records_for_run(run.run_id, of_type=kind).records) for run in runs]


@pytest.mark.usefixtures("retrying")
def test_a_run_that_dagster_passed_over_fails_once_more(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed_over, again = (begun_by_server(instance, work, {}) for _ in range(2))
    command = instance.create_run_for_job(work, status=STARTED)
    for run in (passed_over, again, command):
        instance.report_run_failed(run)
        assert run_of(instance, run.run_id).tags["dagster/will_retry"] == "true"
    instance.add_run_tags(again.run_id, {"dagster/auto_retry_run_id": "its retry"})

    runs = passed_over, again, command
    look()
    assert failures(instance, *runs) == [1, 1, 1]  # Dagster has its time
    monkeypatch.setattr("stoic_assets.defs.lost_runs.RETRIED_WITHIN", timedelta(0))
    look()
    assert failures(instance, *runs) == [2, 1, 1]
    assert not has_ended(instance, run_of(instance, passed_over.run_id))
    look(look())
    assert failures(instance, *runs) == [3, 1, 1]
    assert has_ended(instance, run_of(instance, passed_over.run_id))


@pytest.mark.usefixtures("impatient")
def test_a_run_that_dagster_could_not_start_again_fails_once_more_unless_somebody_resumed_it(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a slip in `stoic.yml` at the moment at which it was to be started."""
    given_up, resumed, final = (begun_by_server(instance, work, {}) for _ in range(3))
    for run in (given_up, resumed, final):
        instance.report_run_failed(run)
    give_up(instance, given_up.run_id)
    give_up(instance, resumed.run_id)
    instance.add_run_tags(final.run_id, {"dagster/will_retry": "false"})
    instance.create_run_for_job(work, tags={"dagster/parent_run_id": resumed.run_id})
    over = [has_ended(instance, run_of(instance, run.run_id)) for run in (given_up, resumed, final)]
    assert over == [False, True, True], "one will be started again"
    with monkeypatch.context() as patch:
        patch.setattr("stoic_assets.defs.failures.REVIVED_WITHIN", timedelta(0))
        assert has_ended(instance, run_of(instance, given_up.run_id)), "too long ago"
    look()
    assert failures(instance, given_up, resumed, final) == [2, 1, 1]
    assert run_of(instance, given_up.run_id).is_complete_and_waiting_to_retry
    give_up(instance, given_up.run_id)
    look(look())
    assert failures(instance, given_up, resumed, final) == [3, 1, 1]
    assert has_ended(instance, run_of(instance, given_up.run_id))


@pytest.mark.usefixtures("impatient")
def test_the_records_of_a_run_that_failed_by_itself_or_was_started_again_are_not_read(
    instance: dg.DagsterInstance, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every failed run of a day is looked at, twice a minute."""
    by_itself = {"dagster/failure_reason": "STEP_FAILURE", "dagster/will_retry": "false"}
    for tags in (by_itself, {"dagster/auto_retry_run_id": "its retry"}):
        run = begun_by_server(instance, work, {})
        instance.report_run_failed(run)
        instance.add_run_tags(run.run_id, tags)
    read = list[str]()
    monkeypatch.setattr(instance, "get_records_for_run", lambda run_id, **_: read.append(run_id))
    look()
    assert not read


def test_a_run_that_could_not_record_its_end_is_found(
    instance: dg.DagsterInstance, workplace: Workplace, look: Look
) -> None:
    run_id = begun(instance)
    with at_work(workplace.project.home, run_id):
        assert look() == "[]"
    look(look())
    assert run_of(instance, run_id).status == FAILURE


@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")  # Dagster's own
@pytest.mark.parametrize("tags", [{GRPC_INFO_TAG: "{}"}, {WORKER_TAG: "celery@far"}, {}])
def test_the_runs_of_code_servers_and_workers_and_no_others_can_be_told(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch, tags: dict[str, str]
) -> None:
    @dg.asset
    def observed(workplace: dg.ResourceParam[Workplace]) -> None: ...

    monkeypatch.chdir(workplace.project.root)
    monkeypatch.setenv("STOIC_HOME", os.fspath(workplace.project.home))
    done = dg.materialize([observed], instance=instance, resources={"workplace": WorkplaceResource()}, tags=tags)
    assert remembered_runs(workplace.project.home) == ([done.run_id] if tags else [])
