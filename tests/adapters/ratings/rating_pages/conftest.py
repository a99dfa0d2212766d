"""A project that nothing was evaluated in yet."""

from pathlib import Path

import pytest

from stoic_assets.adapters.project import Project
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.progress import Progress


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    home = tmp_path / "home"
    return Workplace(Project(tmp_path, home, home / "warehouse"), Settings(redact=("sesame",)), {}, Progress())
