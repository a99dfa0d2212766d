"""Runs as Celery tasks, each on any worker, and what is known about its worker. `deploy/dagster.yaml` names this
launcher; a worker is `celery -A stoic_assets.defs.celery_worker worker`.

Dagster's own launcher trusts only the result store: there a run whose worker was killed counts as running for ever, and
one that a user terminated counts as lost and runs again. This launcher looks for the run's lock, and asks the workers.
"""

import os
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import dagster as dg
from celery import Celery
from celery.exceptions import OperationalError, Reject
from celery.utils.log import get_task_logger
from dagster._cli.api import _execute_run_command_body
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.instance.ref import InstanceRef
from dagster._core.launcher import CheckRunHealthResult, LaunchRunContext, WorkerStatus
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

from stoic_assets.adapters.process import runs_at_work
from stoic_assets.adapters.project import find_project
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.stages import WORKER_TAG
from stoic_assets.defs.event_log import instance_for_runs

TASK = "execute_run"
LOG = get_task_logger(__name__)
NOT_BEGUN = {dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING}

PATIENCE_SECONDS = 3.0
"""How long a worker may take to report its tasks, and the queue to answer; both take milliseconds if they run."""
PAUSE_SECONDS = 30
"""How long a worker keeps a run that it cannot read from Dagster's records, before any worker may try again."""

SETTINGS = {
    # A worker takes a run only when it has a process for it, and reserves none. Confirming runs at their end
    # (acks_late) would do so too, but then a worker does not survive a restart of Redis (Celery 5.7).
    "worker_prefetch_multiplier": 1,
    "worker_disable_prefetch": True,
    "worker_enable_prefetch_count_reduction": False,
    # A new process for each run: nothing of one can leak into another.
    "worker_max_tasks_per_child": 1,
    "broker_connection_retry_on_startup": True,
    "worker_hijack_root_logger": False,
    "task_ignore_result": True,
}


class CeleryRuns(CeleryRunLauncher):
    """A run launcher whose runs survive the death of their worker, given `run_monitoring` and `run_retries`.

    Raises `ConfigurationError` for a broker whose password tears its address apart.
    """

    def __init__(
        self, config_source: dict[str, Any] | None = None, lost_after_seconds: int = 60, **options: Any
    ) -> None:
        _refuse_torn_addresses(options.get("broker") or "")
        super().__init__(config_source={**SETTINGS, **(config_source or {})}, **options)
        self._task = self.celery.task(execute_run, bind=True, name=TASK, max_retries=None)
        self._lost_after = lost_after_seconds
        self._missed: dict[str, float] = {}

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """Dagster's options and `lost_after_seconds`."""
        about = "Seconds until a run without a lock that no worker reports is lost; longer than Redis takes to restart."
        inherited: Any = CeleryRunLauncher.config_type()
        return {**inherited, "lost_after_seconds": dg.Field(int, default_value=60, description=about)}

    def launch_run(self, context: LaunchRunContext) -> None:
        """Puts a run into the queue; while that cannot be reached, Dagster keeps the run and tries again every minute.

        Its task has the run's id: where it gets into the queue twice, either of the two is the run's.
        """
        run = context.dagster_run
        if WORKER_TAG in run.tags:  # of the run that it resumes
            self._instance.add_run_tags(run.run_id, {WORKER_TAG: ""})
        try:
            self._launch_celery_task_run(run, self._task.si(run.run_id).set(task_id=run.run_id), TASK)
        except OperationalError as error:
            # Dagster drops a run from its own queue on any error but this one: see `run_coordinator` in dagster.yaml.
            raise DagsterUserCodeUnreachableError(f"the queue (STOIC_BROKER_URL) cannot be reached: {error}") from error

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Reports a failure once the run was not at work for a while: a single answer may be lost or late.

        A run without a task belongs to a command, which cannot be asked; resuming its evaluation marks it as failed.
        """
        now = time.monotonic()
        if DAGSTER_CELERY_TASK_ID_TAG not in run.tags or self.is_at_work(run):
            self._missed.pop(run.run_id, None)
        elif now - self._missed.setdefault(run.run_id, now) >= self._lost_after:
            return CheckRunHealthResult(WorkerStatus.FAILED, f"{self.get_run_worker_debug_info(run)} no longer has it")
        return CheckRunHealthResult(WorkerStatus.RUNNING)

    def is_at_work(self, run: dg.DagsterRun) -> bool:
        """Whether the run holds its lock in the shared folder, or any worker says that it has the run.

        A worker that was asked to stop, or that cannot reach Redis, goes on with its runs and answers nothing. A run
        has no lock in the first seconds. The run's own worker is asked first, and alone answers at once; a run
        delivered twice is tagged with the one that took it last, whichever of the two started it.
        """
        own = [run.tags[WORKER_TAG]] if run.tags.get(WORKER_TAG) else None
        return _is_locked(run) or bool(own and self._has(run, own)) or self._has(run, None)

    def _has(self, run: dg.DagsterRun, workers: list[str] | None) -> bool:
        """Whether one of the workers says that it has the run; None asks all, who may take all of their time."""
        answers = self.celery.control.inspect(destination=workers, timeout=PATIENCE_SECONDS).active() or {}
        task = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        return any(task == each["id"] for tasks in answers.values() for each in tasks)

    def terminate(self, run_id: str) -> bool:
        """Interrupts a run as Ctrl-C does, so that it ends in good order; one that still waits is not started."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished or DAGSTER_CELERY_TASK_ID_TAG not in run.tags:
            return False
        self._instance.report_run_canceling(run)
        self.celery.control.revoke(run.tags[DAGSTER_CELERY_TASK_ID_TAG], terminate=True, signal="SIGINT")
        return True

    def ask_queue(self) -> str:
        """The address of the queue, without its password. Raises `ServiceUnreachable` if it does not answer in time."""
        patience = {"socket_connect_timeout": PATIENCE_SECONDS, "socket_timeout": PATIENCE_SECONDS}
        with self.celery.connection_for_write(connect_timeout=PATIENCE_SECONDS, transport_options=patience) as queue:
            try:
                queue.ensure_connection(max_retries=1, timeout=PATIENCE_SECONDS, interval_start=0)
            except OperationalError as error:
                raise ServiceUnreachable(f"the queue {queue.as_uri()} cannot be reached: {error}") from error
            return str(queue.as_uri())

    def get_run_worker_debug_info(self, run: dg.DagsterRun, include_container_logs: bool | None = True) -> str:
        """Names the run's worker, present or past."""
        return f"worker {run.tags.get(WORKER_TAG) or 'unknown'}"


def _is_locked(run: dg.DagsterRun) -> bool:
    with suppress(OSError):  # it has not made its file yet, or the folder is away
        return runs_at_work.is_at_work(find_project().home, run.run_id)
    return False


def _refuse_torn_addresses(broker: str) -> None:
    """Raises `ConfigurationError`, without the address: Celery would log a piece of a password as port or database."""
    for address in broker.split(";"):
        try:
            parts = urlsplit(address)
            _ = parts.port
            whole = "@" not in parts.path + parts.query + parts.fragment
        except ValueError:  # its text may quote a piece of the password
            whole = False
        if not whole:
            raise ConfigurationError(
                "the broker's address (STOIC_BROKER_URL) has no valid host and port; "
                "in a password, write / as %2F, # as %23, ? as %3F and ; as %3B"
            )


def execute_run(task: Any, run_id: str) -> None:
    """Executes a run that has not been started yet; its outcome is in Dagster's records.

    A queue may deliver twice, for example after it lost a connection: the second delivery finds the run started, and
    does nothing. While the records cannot be reached, the run goes back into the queue, as soon as that can be reached:
    nobody else knows that it was taken, so that it would wait for an hour.
    """
    with ExitStack() as opened:
        try:
            instance = opened.enter_context(instance_for_runs(Path(os.environ["DAGSTER_HOME"])))
            if not _take(run_id, instance, task):
                return
        except Exception as error:
            why = type(error).__name__  # its text may have several lines, or quote dagster.yaml
            LOG.warning("run %s waits: Dagster's records cannot be used (%s)", run_id, why)
            _put_back(task, run_id, error)
        _execute_run_command_body(run_id, instance, write_stream_fn=lambda _: None, set_exit_code_on_failure=False)


def _put_back(task: Any, run_id: str, error: Exception) -> NoReturn:
    """Puts a run back into the queue after a pause, and after as many more as the queue cannot be reached.

    Raises `Retry`, by which a task tells its worker that it waits there again.
    """
    while True:
        time.sleep(PAUSE_SECONDS)  # here, not in the queue: a task that is due later would wait for this worker
        try:
            raise task.retry(exc=error, countdown=0) from error
        except Reject:  # with it Celery would drop the task
            LOG.warning("run %s waits: the queue cannot be reached either", run_id)


def _take(run_id: str, instance: dg.DagsterInstance, task: Any) -> bool:
    """Whether the run is to be executed; then it is tagged with this worker."""
    run = instance.get_run_by_id(run_id)
    if run is None or run.status not in NOT_BEGUN:
        return False
    instance.add_run_tags(run_id, {WORKER_TAG: task.request.hostname})
    return True


def worker_app() -> Celery:
    """The Celery app of workers, as `dagster.yaml` in `DAGSTER_HOME` configures it. Nothing is connected to.

    Raises `ConfigurationError` if that cannot be used, or has another launcher.
    """
    home = os.environ.get("DAGSTER_HOME")
    if not (home and Path(home, "dagster.yaml").exists()):
        there = f"no dagster.yaml in DAGSTER_HOME ({home or 'not set'})"
        raise ConfigurationError(f"{there}; set it to the folder with the copy of deploy/dagster.yaml")
    try:
        launcher = InstanceRef.from_dir(home).run_launcher
    except dg.DagsterInvalidConfigError:  # which would quote it
        raise ConfigurationError(f"set STOIC_BROKER_URL, or correct run_launcher in {home}/dagster.yaml") from None
    if not isinstance(launcher, CeleryRuns):
        raise ConfigurationError(f"{home}/dagster.yaml has no Celery launcher; use the dagster.yaml in deploy/")
    return launcher.celery
