"""A project in the test's folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from delete_command import VERSION

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest


@pytest.fixture(autouse=True)
def _project(in_project: Path) -> None: ...


@pytest.fixture
def workplace(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Workplace:
    """A home with one evaluation of a version, cached replies and a report."""
    with workplace.evidence.locked(VERSION, "E1"):
        workplace.evidence.begin(make_manifest(evaluation_id="E1", agent_version=VERSION))
    workplace.warehouse.write("turns", VERSION, "E1", [])
    for folder in (workplace.judge_cache(VERSION), workplace.reports / VERSION):
        (folder / "inner").mkdir(parents=True)
    return workplace
