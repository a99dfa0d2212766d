"""What a run's log says while conversations are held and judged."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.resources import WorkplaceResource
from stoic_assets.defs.run_progress import EVERY_SECONDS, LoggedProgress


def test_lines_come_now_and_then_and_at_the_end_of_a_stage() -> None:
    said: list[str] = []
    ticks: Iterator[float] = iter(range(100))
    progress = LoggedProgress(said.append, clock=lambda: next(ticks) * EVERY_SECONDS / 5)
    progress.begin("conversations", 9)
    for _ in range(9):
        progress.advance("conversations")
    assert said == ["conversations: 9", "conversations: 5 of 9 done", "conversations: 9 of 9 done"]


def test_notes_are_told_without_secrets() -> None:
    said: list[str] = []
    progress = LoggedProgress(said.append)
    progress.clean_by(lambda text: text.replace("s3cret", "[redacted]"))
    progress.note("waiting for s3cret")
    assert said == ["waiting for [redacted]"]


@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")  # Dagster's own
def test_a_run_has_them_in_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    @dg.asset
    def spoken(workplace: dg.ResourceParam[Workplace]) -> None:
        workplace.progress.begin("conversations", 2)
        workplace.progress.advance("conversations")
        workplace.progress.note("waits for its base")

    with dg.DagsterInstance.ephemeral() as instance:
        run = dg.materialize([spoken], instance=instance, resources={"workplace": WorkplaceResource()})
        said = [entry.user_message for entry in instance.all_logs(run.run_id) if entry.dagster_event is None]
    assert said == ["conversations: 2", "waits for its base"]
