"""A project whose jobs a test writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stoic_assets.adapters.project import Project, find_project

JOB = "target: {{user: u, {target}}}\ntasks: [{{task: t, acceptanceCriteria: a}}]\n{more}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "releases").mkdir()
    return find_project({}, tmp_path)


@pytest.fixture
def write(project: Project) -> Callable[..., None]:
    """Writes a job of that name, with further lines."""

    def make(name: str, more: str = "", target: str = "chatbot: marcus", folder: Path | None = None) -> None:
        folder = folder or project.jobs
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yml").write_text(JOB.format(target=target, more=more))

    return make
