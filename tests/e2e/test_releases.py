"""Two manifests dropped into `releases/` of a running `stoic ui`, and what is there when nobody did anything else."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest
from agents import EmbabelAgent
from stoic_command import STOIC, Stoic

BASE, CANDIDATE = "my-agent@1.0.0", "my-agent@1.1.0"
UNATTENDED_SECONDS = 120


@pytest.fixture
def ui(bare: Stoic, graph_env: dict[str, str], tmp_path: Path) -> Iterator[Callable[[], str]]:
    """`stoic ui` over one small job, offline; gives what it has logged so far."""
    bare.env |= {**graph_env, "STOIC_LLM": "offline"}
    bare.job(facts=["It is in Europe"])
    with free_port() as port, (tmp_path / "ui.log").open("w") as log:
        env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **bare.env}
        command = [STOIC, "ui", "--port", str(port)]
        process = subprocess.Popen(command, cwd=bare.project, env=env, stdout=log, stderr=log)
        try:
            yield lambda: (tmp_path / "ui.log").read_text()
        finally:
            process.terminate()
            process.wait(40)


@contextmanager
def free_port() -> Iterator[int]:
    """`stoic ui` takes a number only."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    yield port


def release(stoic: Stoic, agent: EmbabelAgent, version: str, **more: Any) -> None:
    manifest = {"agent": "my-agent", "version": version, "url": agent.url, **more}
    stoic.write(f"releases/{version}.yml", manifest)


def file_of(stoic: Stoic, pattern: str, log: Callable[[], str]) -> Path:
    """The one file of that pattern, once it is there."""
    deadline = time.monotonic() + UNATTENDED_SECONDS
    while not (found := list(stoic.home.glob(pattern))):
        assert time.monotonic() < deadline, f"no {pattern}\n{log()[-6000:]}"
        time.sleep(0.3)
    [path] = found
    return path


def test_a_release_is_evaluated_compared_and_reported_unattended(
    ui: Callable[[], str], bare: Stoic, running: Callable[[Any], Any]
) -> None:
    good, other = running(EmbabelAgent()), running(EmbabelAgent())
    release(bare, other, "1.1.0", parents=["1.0.0"])
    release(bare, good, "1.0.0")

    comparison = file_of(bare, f"warehouse/version_comparisons/agent_version={CANDIDATE}/release-*.parquet", ui)
    report = file_of(bare, f"reports/{CANDIDATE}/release-*.html", ui)

    rows = duckdb.read_parquet(str(comparison)).project("base, candidate, gating, evaluation_id").distinct().fetchall()
    assert {row[:2] for row in rows} == {(BASE, CANDIDATE)}
    evaluation_id = rows[0][-1]
    assert report.stem == evaluation_id
    assert BASE in report.read_text()
    with dg.DagsterInstance.from_config(str(bare.home / "dagster")) as instance:
        assert set(instance.get_dynamic_partitions("agent_version")) == {BASE, CANDIDATE}
        runs = instance.get_runs(dg.RunsFilter(job_name="release_evaluation"))
    by_version = {run.tags["dagster/partition"]: run.tags["stoic/evaluation_id"] for run in runs}
    assert len(runs) == 2, "one run for each, the base first"
    assert by_version[CANDIDATE] == evaluation_id
    assert {len(good.users), len(other.users)} == {2}, "one conversation with the fact and one without"
