"""Postgres, Redis and a graph as somebody else runs them, on loopback, and the machines of one deployment with them."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import dagster as dg
import pytest
from agents import EmbabelAgent
from connections import Connections
from machines import AGENTS, DEPLOY, GREETING, LINES, QUICKER, Machines
from model_server import ModelServer
from stoic_command import STOIC, Stoic, graph_variables

PASSWORD = "only-in-tests-4711"


def pytest_itemcollected(item: pytest.Item) -> None:
    """What starts servers is left out of the quick suites."""
    if "servers" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.deploy)
        item.add_marker(pytest.mark.timeout(500))


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of `deploy/` with servers behind it."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    redis = shutil.which("redis-server")
    if not (binaries and redis):
        pytest.skip("PostgreSQL or Redis is not installed; on Debian: apt-get install postgresql redis-server")
    folder = Path(tempfile.mkdtemp(prefix="stoic-deploy-"))  # where another user may go; pytest's own is closed
    folder.chmod(0o755)
    broker, database = free_port(), free_port()
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "STOIC_HOME": str(tmp_path / "graph")}
    processes = [
        subprocess.Popen(
            [redis, "--bind", "127.0.0.1", "--port", str(broker), "--save", "", "--requirepass", PASSWORD],
            cwd=folder, stdout=subprocess.DEVNULL,
        ),
        subprocess.Popen([STOIC, "graph", "--json"], env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True),
    ]
    try:
        told = processes[1].stdout
        assert told is not None
        processes.append(_postgres(binaries[-1].parent, folder, database))
        yield {
            "STOIC_POSTGRES_HOST": "127.0.0.1", "STOIC_POSTGRES_PORT": str(database), "STOIC_POSTGRES_USER": "stoic",
            "STOIC_POSTGRES_PASSWORD": PASSWORD, "STOIC_POSTGRES_DATABASE": "postgres",
            "STOIC_BROKER_URL": f"redis://:{PASSWORD}@127.0.0.1:{broker}/0", **graph_variables(told.readline()),
        }
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.communicate(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """A port of loopback that nobody has."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _postgres(binaries: Path, folder: Path, port: int) -> "subprocess.Popen[str]":
    """PostgreSQL refuses root: there it runs as the user that its package made."""
    other = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if other:
        shutil.chown(folder, "postgres")
    (folder / "password").write_text(PASSWORD)
    (folder / "password").chmod(0o644)
    made = [*other, binaries / "initdb", "-D", folder / "data", "-U", "stoic", "-A", "scram-sha-256", "--no-sync"]
    subprocess.run([*made, f"--pwfile={folder / 'password'}"], check=True, capture_output=True, cwd=folder)
    options = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    with (folder / "postgres.log").open("w") as log:
        process = subprocess.Popen(
            [*other, binaries / "postgres", "-D", folder / "data", "-p", str(port), *options],
            stdout=log, stderr=log, cwd=folder, text=True,
        )
    while subprocess.run([binaries / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]).returncode:
        assert process.poll() is None, (folder / "postgres.log").read_text()
        time.sleep(0.1)
    return process


@pytest.fixture
def agents() -> Iterator[dict[str, EmbabelAgent]]:
    """Four agents."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(EmbabelAgent().running()) for name in AGENTS}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server."""
    double = ModelServer(key="sk-model-key-0123456789abcdef")
    double.lines = LINES
    with double.running():
        yield double


@pytest.fixture
def stoic(tmp_path: Path, servers: dict[str, str], model: ModelServer, agents: dict[str, EmbabelAgent]) -> Stoic:
    """A project with a manifest for each agent, whose home has the instance of `deploy/`."""
    home = tmp_path / "home"
    env = {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": model.key or "", "STOIC_HOME": str(home)}
    env |= {"DAGSTER_HOME": str(home / "dagster"), "DAGSTER_DISABLE_TELEMETRY": "1"}
    env |= {"DAGSTER_EVENT_LOG_CONSUMER_DAEMON_INTERVAL_SECONDS": "1"}
    stoic = Stoic(tmp_path / "project", servers | env)
    assertion = {"cypher": "RETURN $trial STARTS WITH $trial AS x", "expected": True}
    stoic.job(greetings=[GREETING], maxTurns=20, repeats=2, assertions=[assertion], aspirationalAverage=60000)
    for name, agent in agents.items():
        stoic.write(f"releases/{name}.yml", {"agent": name, "version": "1.0.0", "url": agent.url})
    config = (DEPLOY / "dagster.yaml").read_text()
    for usual, quicker in QUICKER.items():
        assert usual in config
        config = config.replace(usual, quicker)
    (home / "dagster").mkdir(parents=True)
    (home / "dagster" / "dagster.yaml").write_text(config)
    return stoic


@pytest.fixture
def noted(tmp_path: Path) -> Connections:
    """Whom the processes speak to."""
    (tmp_path / "hook").mkdir()
    return Connections(tmp_path / "hook")


@pytest.fixture
def machines(stoic: Stoic, noted: Connections) -> Iterator[Machines]:
    """A daemon and two workers."""
    machines = Machines(stoic, noted)
    try:
        for name in ("worker1", "worker2"):
            machines.worker(name)
        daemon = (sys.executable, "-m", "stoic_assets.cli.daemon")
        machines.start("daemon", *daemon, "run", "-w", DEPLOY / "workspace.yaml")
        yield machines
    finally:
        machines.stop()


@pytest.fixture
def instance(stoic: Stoic, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    """The records, looked at from outside."""
    for name, value in stoic.env.items():
        monkeypatch.setenv(name, value)
    with dg.DagsterInstance.get() as instance:
        yield instance
