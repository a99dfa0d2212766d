"""A project and warehouse of the test's own."""

import pytest

from stoic_assets.adapters.workplace import Workplace


@pytest.fixture(autouse=True)
def own_project(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workplace.project.root)
    monkeypatch.setenv("STOIC_HOME", str(workplace.project.home))
