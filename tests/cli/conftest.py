"""What commands need that is the same in every new project."""

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from smallest_job import smallest_job

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import console

if TYPE_CHECKING:
    import dagster as dg


@pytest.fixture(scope="session", autouse=True)
def databases_are_set_up_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new instance of Dagster begins with a copy of databases that Dagster itself set up, which takes it 0.3 s."""
    from stoic_assets.defs import event_log

    set_up, first = event_log.instance_for_runs, tmp_path_factory.mktemp("instance")

    def opened(home: Path) -> "dg.DagsterInstance":
        if not (first / "history").exists():
            (first / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
            set_up(first).dispose()
        for made in ("history", "schedules"):
            if not (home / made).exists():
                shutil.copytree(first / made, home / made)
        return set_up(home)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_log, "instance_for_runs", opened)
        yield


@pytest.fixture
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of `workplace`'s project, in which commands run that are called here: offline, with its home."""
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STOIC_LLM", "offline")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes standard output a terminal of so many columns."""

    def wide(columns: int) -> None:
        shown = console.Terminal(**console.AS_IT_STANDS, force_terminal=True, width=columns, color_system=None)
        monkeypatch.setattr(console, "out", shown)
        monkeypatch.setattr(console.Terminal, "is_screen", True)

    return wide


@pytest.fixture
def marcus(workplace: Workplace) -> Callable[..., None]:
    """Writes a job for Marcus, and releases of his with their addresses."""

    def write(**urls: str) -> None:
        workplace.project.jobs.mkdir()
        (workplace.project.jobs / "chat.yml").write_text(json.dumps(smallest_job()))
        workplace.project.releases.mkdir()
        for name, url in urls.items():
            manifest = {"agent": "marcus", "version": name, "url": url}
            (workplace.project.releases / f"{name}.yml").write_text(json.dumps(manifest))

    return write


@pytest.fixture
def handlers_are_put_back() -> Iterator[None]:
    """A command ends after its run, and leaves that to the end of the process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
