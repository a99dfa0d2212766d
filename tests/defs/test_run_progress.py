"""What a run's log says while conversations are held and judged."""

from pathlib import Path

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.resources import LoggedProgress, WorkplaceResource


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
    assert said == ["conversations: 2 trials", "waits for its base"]
