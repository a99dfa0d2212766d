"""A home that any environment opens, with judged trials in it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from watched_judge import JOB, Make, hold

from stoic_assets.adapters.workplace import Workplace, open_workplace

SETTINGS = "drift: {transcripts: 8, reference_judgings: 2}"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Workplace]:
    """The same home with any environment."""
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "stoic.yml").write_text(SETTINGS)
    return lambda **env: open_workplace({"OPENAI_API_KEY": "k", **env}, start=tmp_path / "eval_jobs")


@pytest.fixture
def workplace(opened: Callable[..., Workplace], make_manifest: Make) -> Workplace:
    """Eight judged trials in two evaluations, and some that must not be chosen."""
    found = opened()
    hold(found, make_manifest(agent_version="marcus@1.0.0", evaluation_id="first", jobs=(JOB,)), 6)
    hold(found, make_manifest(agent_version="marcus@1.1.0", evaluation_id="second", jobs=(JOB,)), 4)
    unfinished = make_manifest(agent_version="marcus@1.1.0", evaluation_id="unfinished", jobs=(JOB,))
    hold(found, unfinished, 3, status="incomplete")
    return found
