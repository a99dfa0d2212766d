"""How runs get to Celery workers, and which count as at work there, as the workers themselves answer."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pytest
from celery.exceptions import OperationalError, Retry
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.launcher import LaunchRunContext
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG as TASK

from stoic_assets.adapters.process.runs_at_work import at_work as locked_run
from stoic_assets.core.stages import WORKER_TAG
from stoic_assets.defs.celery_runs import CeleryRuns

Answers = dict[str, list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("worker", "answers", "at_work", "asked"),
    [
        ("one", {"one": [{"id": "run"}]}, True, [["one"]]),
        ("one", {"one": [], "two": [{"id": "run"}]}, True, [["one"], None]),
        ("one", {"one": [], "two": [{"id": "other"}]}, False, [["one"], None]),
        ("one", {}, False, [["one"], None]),
        ("", {"two": [{"id": "run"}]}, True, [None]),
    ],
)
def test_a_run_is_at_work_wherever_it_was_delivered_twice(
    monkeypatch: pytest.MonkeyPatch, worker: str, answers: Answers, at_work: bool, asked: list[list[str] | None]
) -> None:
    """The one of two workers that took it last is its tag; the other one may have started it."""
    workers, questions = CeleryRuns(default_queue="dagster"), []

    def inspect(destination: list[str] | None, timeout: float) -> SimpleNamespace:
        questions.append(destination)
        told = {name: tasks for name, tasks in answers.items() if not destination or name in destination}
        return SimpleNamespace(active=lambda: told or None)

    monkeypatch.setattr(workers.celery.control, "inspect", inspect)
    run = dg.DagsterRun(job_name="work", tags={TASK: "run", WORKER_TAG: worker})
    assert workers.is_at_work(run) is at_work
    assert questions == asked


def test_a_run_is_at_work_while_it_holds_its_lock_though_no_worker_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker that was asked to stop answers nothing, and goes on for as long as its runs take."""
    monkeypatch.setenv("STOIC_HOME", str(tmp_path))
    workers, run = CeleryRuns(default_queue="dagster"), dg.DagsterRun("work", tags={TASK: "run", WORKER_TAG: "one"})
    monkeypatch.setattr(workers, "_has", lambda *_: False)
    assert not workers.is_at_work(run)
    with locked_run(tmp_path, run.run_id):
        assert workers.is_at_work(run)
    assert not workers.is_at_work(run)


def test_a_run_that_finds_no_queue_stays_with_dagster_which_notes_why(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = CeleryRuns(default_queue="dagster")

    def refuse(*_: Any) -> None:
        raise OperationalError("Error 111 connecting to redis:6379. Connection refused.")

    monkeypatch.setattr(workers, "_launch_celery_task_run", refuse)
    context = LaunchRunContext(dg.DagsterRun(job_name="work"), workspace=None)
    with pytest.raises(DagsterUserCodeUnreachableError, match=r"STOIC_BROKER_URL.* Connection refused\.$"):
        workers.launch_run(context)


@pytest.mark.parametrize("queue_away", [0, 2])
def test_a_run_whose_records_are_away_when_a_worker_takes_it_goes_back_into_the_queue(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, queue_away: int
) -> None:
    """Its task ended there, and nobody missed the run for an hour (`start_timeout_seconds`)."""
    workers, paused = CeleryRuns(default_queue="dagster", broker="memory://", backend="disabled://"), list[float]()
    send = workers.celery.amqp.send_task_message

    def send_unless_away(*message: Any, **how: Any) -> None:
        if len(paused) <= queue_away:
            raise OperationalError("Error 111 connecting to redis:6379. Connection refused.")
        send(*message, **how)

    def refuse(_: Path) -> None:
        raise ConnectionError("too many retries")

    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.setattr("stoic_assets.defs.celery_runs.instance_for_runs", refuse)
    monkeypatch.setattr("stoic_assets.defs.celery_runs.time", SimpleNamespace(sleep=paused.append))
    monkeypatch.setattr(workers.celery.amqp, "send_task_message", send_unless_away)
    taken = {"id": "run", "args": ["run"], "retries": 100, "delivery_info": {"routing_key": "dagster"}}
    workers._task.push_request(**taken, called_directly=False)
    with pytest.raises(Retry):
        workers._task.run("run")
    with workers.celery.connection_for_read() as connection, connection.SimpleQueue("dagster") as queue:
        again = queue.get(timeout=5)
    assert (again.headers["id"], again.headers["eta"], again.payload[0]) == ("run", None, ["run"])
    assert paused == [30] * (1 + queue_away)
