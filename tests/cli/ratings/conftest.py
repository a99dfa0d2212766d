"""A project and warehouse of the test's own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _project(in_project: Path) -> None: ...
