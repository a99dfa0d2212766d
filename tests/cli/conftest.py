"""What commands need that is the same in every new project."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import dagster as dg


@pytest.fixture(scope="session", autouse=True)
def databases_are_set_up_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new instance of Dagster begins with a copy of databases that Dagster itself set up, which takes it 0.3 s."""
    from stoic_assets.defs import event_log

    set_up, first = event_log.open_instance, tmp_path_factory.mktemp("instance")

    def opened(home: Path) -> "dg.DagsterInstance":
        if not (first / "history").exists():
            (first / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
            set_up(first).dispose()
        for made in ("history", "schedules"):
            if not (home / made).exists():
                shutil.copytree(first / made, home / made)
        return set_up(home)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_log, "open_instance", opened)
        yield
