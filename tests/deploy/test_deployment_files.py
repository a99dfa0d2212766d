"""What can be said of `deploy/` without starting it: it parses, it names what exists, it gives nothing away."""

import re
import runpy
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import dagster as dg
import pytest
import yaml
from code_server_runs import origin_of
from dagster._core.instance.ref import InstanceRef
from dagster._core.launcher import WorkerStatus
from dagster._core.test_utils import create_run_for_test
from dagster._core.workspace.context import BaseWorkspaceRequestContext
from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import QueuedRunCoordinatorDaemon

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.defs.celery_runs import CeleryRuns, execute_run, worker_app

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
VALUES = yaml.safe_load((DEPLOY / "helm-values.yaml").read_text())
CONFIG = yaml.safe_load((DEPLOY / "dagster.yaml").read_text())
FOREIGN = {"HOME", "HOSTNAME", "REDISCLI_AUTH"}
"""Variables of the images that we only use."""


def described() -> set[str]:
    """The variables that the documents have a row for."""
    text = "\n".join((ROOT / "docs" / name).read_text() for name in ("deploy.md", "configuration.md"))
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}


def named(value: Any) -> set[str]:
    """The variables that a YAML document takes from the environment."""
    if isinstance(value, dict):
        own = {value["env"]} if isinstance(value.get("env"), str) else set()
        return own.union(*(named(each) for each in value.values()))
    if isinstance(value, list):
        return set().union(*(named(each) for each in value))
    return set(re.findall(r"\$\{?([A-Z_]+)", str(value)))


def test_every_variable_is_described() -> None:
    offered = set(re.findall(r"^#? ?([A-Z_]+)=", (DEPLOY / ".env.example").read_text(), re.MULTILINE))
    given = set(COMPOSE["x-product"]["environment"]) | set(VALUES["dagster-user-deployments"]["deployments"][0]["env"])
    asked_for = named(CONFIG) | named(COMPOSE)
    assert {"STOIC_POSTGRES_PASSWORD", "STOIC_BROKER_URL", "NEO_URI"} <= asked_for | given
    assert (offered | given | asked_for) - FOREIGN - described() == set()
    assert named(CONFIG) <= given


def test_the_instance_loads_and_keeps_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = _instance(tmp_path, monkeypatch)
    assert ref.settings["telemetry"] == {"enabled": False}
    assert ref.settings["run_monitoring"]["enabled"] is True
    assert ref.settings["run_retries"] == {"enabled": True, "max_retries": 3, "retry_on_asset_or_op_failure": False}
    assert ref.storage_data is not None
    assert ref.storage_data.class_name == "DagsterPostgresStorage"
    assert "secret-4711" not in str(ref)  # what is stored with a run are names of variables


def test_a_worker_starts_while_postgresql_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _instance(tmp_path, monkeypatch)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    assert worker_app().conf.broker_url == "redis://:secret-4711@localhost/0"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, r"no dagster\.yaml in DAGSTER_HOME \(not set\); set it to .*"),
        ({"DAGSTER_HOME": "{here}"}, r"set STOIC_BROKER_URL, or correct run_launcher in .*/dagster\.yaml"),
        ({"DAGSTER_HOME": "{here}/none"}, r"no dagster\.yaml in DAGSTER_HOME \(.*/none\); set it to .*"),
    ],
)
def test_a_worker_that_cannot_start_says_why_in_one_line(
    environment: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _instance(tmp_path, monkeypatch)
    for name in (*named(CONFIG), "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value.format(here=tmp_path))
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("stoic_assets.defs.celery_worker")
    assert re.fullmatch(said, str(ended.value.code))


@pytest.mark.parametrize("password", ["47pw11/abc", "47pw11#abc", "47pw11?abc", "47pw11;abc", "4711/47pw11", "[47pw11"])
@pytest.mark.parametrize("more", ["", ";redis://:secret@localhost/0"])
def test_a_password_that_tears_the_address_of_the_queue_apart_is_not_shown(password: str, more: str) -> None:
    with pytest.raises(ConfigurationError, match=r"STOIC_BROKER_URL.* write / as %2F") as refused:
        CeleryRuns(default_queue="dagster", broker=f"redis://:{password}@localhost:6379/0{more}")
    assert "47" not in str(refused.value)


@pytest.mark.parametrize("broker", [None, "redis://:a%2Fb@localhost:6379/0", "amqp://u:p@[::1]//;amqp://u:p@b:5672//"])
def test_any_other_address_of_the_queue_is_left_to_celery(broker: str | None) -> None:
    assert CeleryRuns(default_queue="dagster", broker=broker).broker == broker


def test_a_run_is_lost_when_its_worker_lacks_it_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher, clock = _instance(tmp_path, monkeypatch).run_launcher, iter(range(0, 1000, 30))
    monkeypatch.setattr("stoic_assets.defs.celery_runs.time", SimpleNamespace(monotonic=lambda: next(clock)))
    run = dg.DagsterRun("job", tags={"dagster-celery/task_id": "t", "stoic/worker": "celery@far"})

    def looks(*at_work: bool) -> list[WorkerStatus]:
        answers = iter(at_work)
        monkeypatch.setattr(launcher, "is_at_work", lambda _: next(answers))
        return [launcher.check_run_worker_health(run).status for _ in at_work]

    running, failed = WorkerStatus.RUNNING, WorkerStatus.FAILED
    assert looks(True, False, False, True, False, False, False) == [*[running] * 6, failed]
    assert launcher.check_run_worker_health(dg.DagsterRun("job")).status == running  # a command's: nobody can be asked


def test_a_run_that_resumes_another_has_no_worker_until_one_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    launcher, queued = CeleryRuns(default_queue="dagster"), list[str]()
    monkeypatch.setattr(launcher, "_launch_celery_task_run", lambda run, *_: queued.append(run.run_id))
    with dg.DagsterInstance.ephemeral() as instance:
        launcher.register_instance(instance)
        for tags in ({"stoic/worker": "celery@gone"}, {}):
            run = create_run_for_test(instance, tags=tags)
            launcher.launch_run(SimpleNamespace(dagster_run=run))  # type: ignore[arg-type]
            kept = instance.get_run_by_id(queued[-1])
            assert kept
            assert not kept.tags.get("stoic/worker")
            assert launcher.get_run_worker_debug_info(kept) == "worker unknown"


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELED])
def test_what_the_queue_delivers_twice_is_not_begun_twice(
    status: dg.DagsterRunStatus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with dg.DagsterInstance.get() as instance:
        run = create_run_for_test(instance, status=status)
        execute_run(None, run.run_id)
        assert instance.get_run_by_id(run.run_id) == run
        assert instance.all_logs(run.run_id) == []


def test_a_run_waits_while_the_queue_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster drops a run whose launcher fails in any other way: a night was lost within 40 seconds."""
    nobody = CeleryRuns(default_queue="dagster", broker="redis://127.0.0.1:1/0", backend="disabled://")
    settings = {name: CONFIG[name] for name in ("run_coordinator", "concurrency")}
    with dg.instance_for_test(overrides=settings) as instance:
        nobody.register_instance(instance)
        monkeypatch.setattr(type(instance), "run_launcher", nobody)
        run = create_run_for_test(instance, remote_job_origin=origin_of("job"))
        instance.report_dagster_event(dg.DagsterEvent.job_enqueue(run), run.run_id)
        daemon, limits = QueuedRunCoordinatorDaemon(interval_seconds=1), instance.get_concurrency_config()
        workspace = Mock(BaseWorkspaceRequestContext)
        assert not daemon._dequeue_run(instance, workspace, run, limits, fixed_iteration_time=None)
        kept = instance.get_run_by_id(run.run_id)
        assert kept
        assert kept.status == dg.DagsterRunStatus.QUEUED


def test_a_run_that_is_put_into_the_queue_twice_has_one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the first may be lost: a worker that takes it would not be known to have the run."""
    launcher, tasks = CeleryRuns(default_queue="dagster"), list[str]()
    monkeypatch.setattr(launcher, "_launch_celery_task_run", lambda _, task, __: tasks.append(task.options["task_id"]))
    run: Any = SimpleNamespace(dagster_run=dg.DagsterRun("job"))
    launcher.launch_run(run)
    launcher.launch_run(run)
    assert tasks == [run.dagster_run.run_id] * 2


def _instance(folder: Path, monkeypatch: pytest.MonkeyPatch) -> InstanceRef:
    """The instance of `deploy/`, without a connection."""
    for name in named(CONFIG):
        monkeypatch.setenv(name, "redis://:secret-4711@localhost/0" if name == "STOIC_BROKER_URL" else "secret-4711")
    (folder / "dagster.yaml").write_text((DEPLOY / "dagster.yaml").read_text())
    return InstanceRef.from_dir(str(folder))


def test_compose_opens_nothing_but_the_web_ui_to_this_machine_alone() -> None:
    ports = {name: service.get("ports", []) for name, service in COMPOSE["services"].items()}
    assert {name: given for name, given in ports.items() if given} == {"webserver": ["127.0.0.1:3000:3000"]}


def test_the_web_ui_is_asked_how_it_does_with_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("urllib.request.urlopen", lambda request, timeout: asked.append(request))
    monkeypatch.setenv("STOIC_UI_TOKEN", "t0ken\n")
    *_, script = COMPOSE["services"]["webserver"]["healthcheck"]["test"]
    exec(script, {})
    assert [(request.full_url, request.headers) for request in asked] == [
        ("http://127.0.0.1:3000/server_info", {"Authorization": "Bearer t0ken"})
    ]


def test_compose_waits_until_services_are_well_and_watches_them() -> None:
    services = COMPOSE["services"]
    assert services.keys() == {"postgres", "redis", "neo4j", "instance", "webserver", "daemon", "worker"}
    assert {name for name, service in services.items() if "healthcheck" not in service} == {"instance"}
    waited_for = services["worker"]["depends_on"]
    assert {"postgres", "redis", "neo4j", "instance"} == waited_for.keys()
    assert services["worker"]["deploy"] == {"replicas": 2}
    slots = 2 * int(services["worker"]["command"][services["worker"]["command"].index("--concurrency") + 1])
    assert CONFIG["concurrency"]["runs"]["max_concurrent_runs"] == slots


def test_no_secret_stands_in_a_file() -> None:
    for name in ("compose.yaml", "helm-values.yaml", "dagster.yaml", ".env.example", "Dockerfile"):
        for line in (DEPLOY / name).read_text().splitlines():
            if found := re.search(r"^ *[A-Z_]*(?:PASSWORD|KEY|TOKEN|SECRET|AUTH|URL)[=:] *(\S+)", line):
                assert re.search(r"\$\{\w+:\?|^\{env:", found[1]), line


def test_the_image_is_made_of_what_is_there_and_of_known_packages() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    copied = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY") and "--from" not in line]
    wanted = {source for sources in copied for source in sources}
    assert all((ROOT / source).exists() for source in wanted)
    allowed = set(re.findall(r"^!(\S+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE))
    assert wanted == allowed
    assert _of_the_package() <= wanted
    assert "pip install --require-hashes --requirement /build/requirements.lock" in text
    locked = (DEPLOY / "requirements.lock").read_text()
    needed = ("dagster-celery", "dagster-postgres", "dagster-k8s", "redis", "psycopg2-binary")
    assert all(re.search(rf"^{name}==", locked, re.MULTILINE) for name in needed)


def _of_the_package() -> set[str]:
    """The files and folders without which the package cannot be built."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    described = {project["project"]["readme"], *project["project"]["license-files"]}
    return {"pyproject.toml", *described, *wheel["packages"], *wheel["force-include"]}


def test_the_location_is_the_same_everywhere() -> None:
    assert (DEPLOY / "workspace.yaml").read_text() == (ROOT / "workspace.yaml").read_text()


def test_the_cluster_shares_one_volume_and_tells_nobody() -> None:
    [code] = VALUES["dagster-user-deployments"]["deployments"]
    [claim] = VALUES["extraManifests"]
    assert VALUES["telemetry"] == {"enabled": False}
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert code["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert {mount["mountPath"] for mount in code["volumeMounts"]} == {code["env"]["STOIC_HOME"], "/project"}
