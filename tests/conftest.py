"""What holds for all tests."""

import gc
import json
import os
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from stoic_assets.adapters.graph.embedded_server import GraphServer
    from stoic_assets.adapters.workplace import Workplace
    from stoic_assets.core.evaluation.manifest import Manifest

# As a command does: collecting garbage among nine thousand tests took a quarter of their collection.
gc.set_threshold(100_000, 20, 20)
# No deadline: a busy machine is no fault of the code. Derandomised in CI: the same commit gives the same verdict.
settings.register_profile(
    "suite", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("STOIC_TEST_EXAMPLES", "25")),
)
settings.load_profile("suite")


def pytest_collection_finish() -> None:
    """No test is garbage: what collects it, as statsmodels does in every call, need not search nine thousand."""
    gc.freeze()


@pytest.fixture(autouse=True)
def ends_are_heard() -> None:
    """Ctrl-C, also where a script runs the tests in its background: there it is ignored, which every child inherits.

    And SIGTERM, that fixtures may end the servers which they started: Python would die at once, and Dagster ignores it
    from the first run in a test's own process on.
    """
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """No test cuts the power, and waiting for the disk takes longer than writing: some milliseconds for each file."""
    from sqlalchemy import Engine, event

    from stoic_assets.adapters.disk.sqlite_files import open_shared
    from stoic_assets.adapters.messages import outbox_file
    from stoic_assets.adapters.models import judge_cache

    def not_synchronous(connection: Any, *_: object) -> Any:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")
        return connection

    event.listen(Engine, "connect", not_synchronous)
    with pytest.MonkeyPatch.context() as patch:
        for module in (outbox_file, judge_cache):
            patch.setattr(module, "open_shared", lambda *file, **how: not_synchronous(open_shared(*file, **how)))
        for name in ("fsync", "fdatasync"):
            patch.setattr(os, name, lambda _: None, raising=False)
        yield
    event.remove(Engine, "connect", not_synchronous)


@pytest.fixture
def workplace(tmp_path: Path) -> "Workplace":
    """An offline project in the test's folder, with nothing in it."""
    from stoic_assets.adapters.workplace import open_workplace

    return open_workplace({"STOIC_HOME": str(tmp_path / "home"), "STOIC_LLM": "offline"}, start=tmp_path)


@pytest.fixture
def dead_url() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture(scope="session")
def embedded_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The STOIC_HOME of the embedded server that all tests of a session share."""
    return tmp_path_factory.mktemp("embedded")


@pytest.fixture(scope="session")
def embedded(embedded_home: Path) -> Iterator["GraphServer"]:
    """That server, running."""
    from stoic_assets.adapters.graph.embedded_graph import embedded_graph

    with embedded_graph(embedded_home) as server:
        yield server


@pytest.fixture
def waiting() -> Callable[..., list[dict[str, Any]]]:
    """What waits in the outbox of a workplace for a target, in order."""

    def waiting(workplace: "Workplace", target: str = "events") -> list[dict[str, Any]]:
        asked = "select body from messages where target = ? and delivered_at is null order by position"
        file = workplace.project.home / "outbox" / "messages.sqlite"
        if not file.exists():
            return []
        with closing(sqlite3.connect(file)) as messages:
            return [json.loads(body) for (body,) in messages.execute(asked, [target])]

    return waiting


@pytest.fixture(scope="session")
def make_manifest() -> Callable[..., "Manifest"]:
    """The manifest of an evaluation; its own fields and those of its specification as keyword arguments."""
    from stoic_assets.core.evaluation.manifest import Manifest
    from stoic_assets.core.evaluation.specification import EvaluationSpec

    def make(**fields: Any) -> Manifest:
        asked = {name: fields.pop(name) for name in EvaluationSpec.model_fields.keys() & fields}
        spec = EvaluationSpec.model_validate(
            {
                "jobs": (), "addresses": {}, "agent_model": "m", "evaluator_model": "m", "judge_models": ("sage",),
                "judge_samples": 1, "prompts_hash": "p", **asked,
            }
        )
        default = {
            "evaluation_id": "E1", "agent_version": "marcus@1.0.0", "started_at": "2026-01-01T00:00:00+00:00",
            "offline": False, "run_id": "r", "spec": spec, "spec_hash": spec.hash(),
            "job_hashes": {job.name: job.question_hash() for job in spec.jobs},
        }  # fmt: skip
        return Manifest.model_validate({**default, **fields})

    return make
