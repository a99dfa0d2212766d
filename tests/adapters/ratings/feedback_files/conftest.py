"""A project whose model nobody reaches, and its folder of feedback."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from imported_feedback import VERSION

from stoic_assets.adapters.workplace import Workplace, open_workplace


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    env = {"STOIC_HOME": str(tmp_path / "home"), "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def put(workplace: Workplace) -> Callable[..., Path]:
    """Puts a feedback file into the folder; the metrics of an accuracy of 0.4, changed by keywords."""

    def write(name: str = "a.json", **keys: Any) -> Path:
        usual = {
            "agent_version": VERSION, "task_id": "mentor", "overall_satisfaction": 0.5,
            "interpretation_confidence": 0.8,
            "dimension_feedback": [{"dimension": "accuracy", "score": 0.4, "confidence": 0.9}],
        }  # fmt: skip
        content = keys if "dialogue" in keys else {**usual, **keys}
        path = workplace.project.home / "feedback" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
        return path

    return write
