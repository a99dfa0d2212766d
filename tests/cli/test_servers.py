"""What servers refuse before they begin."""

import pytest

from stoic_assets.adapters.file_locks import locked
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.servers import ui
from stoic_assets.core.errors import ConfigurationError


def test_a_second_ui_of_a_project_is_refused(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    home = workplace.project.home
    monkeypatch.chdir(workplace.project.root)
    monkeypatch.setenv("STOIC_HOME", str(home))
    refused = pytest.raises(ConfigurationError, match=rf"another `stoic ui` serves {home} already; use that one")
    with locked(home / "ui.lock"), refused:
        ui(port=1)
