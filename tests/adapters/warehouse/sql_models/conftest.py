"""An evaluation written row by row into a real warehouse, and scored by the real models."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.warehouse.sql_models import open_models, tested_view
from stoic_assets.adapters.warehouse.sql_project import sql_folder
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.releases import agent_of

SOURCES = ("evaluations", "trials", "virtue_scores", "task_scores", "tone_scores", "assertion_results")


class Evaluation:
    """Rows of one evaluation; whatever a test does not name has a plain default."""

    def __init__(self, warehouse: Warehouse, version: str = "marcus@1.0.0", key: str = "e1", **head: Any) -> None:
        self.warehouse, self.version, self.key = warehouse, version, key
        self.rows: dict[str, list[dict[str, Any]]] = {table: [] for table in SOURCES}
        self.rows["evaluations"] = [evaluation_head(agent=agent_of(version), planned_trials=0) | head]

    def trial(self, trial_id: str = "t1", **columns: Any) -> "Evaluation":
        plain = {
            "trial_id": trial_id, "job": "reminders", "holdout": False, "condition": "withheld", "repeat": 1,
            "outcome": "signed_off", "failure_count": 0, "planned_tasks": 0, "turns": 4,
        }  # fmt: skip
        return self._add("trials", plain | columns)

    def verdict(self, virtue: str = "wisdom", trial_id: str = "t1", **columns: Any) -> "Evaluation":
        plain = {"trial_id": trial_id, "virtue": virtue, "judge_model": "judge", "sample": 0}
        if columns.get("score") is not None:
            plain |= {"confidence": 1.0, "confidence_source": "self", "exercised": True}
        return self._add("virtue_scores", plain | columns)

    def task(self, score: float | None, trial_id: str = "t1") -> "Evaluation":
        number = str(len(self.rows["task_scores"]) + 1)
        text = {"task": number, "type": "task", "task_text": "Remind me."}
        return self._add("task_scores", {"trial_id": trial_id, "score": score} | text)

    def tone(self, score: float | None, trial_id: str = "t1") -> "Evaluation":
        return self._add("tone_scores", {"trial_id": trial_id, "score": score})

    def assertion(self, passed: bool | None, weight: float = 1.0, trial_id: str = "t1") -> "Evaluation":
        number = str(len(self.rows["assertion_results"]) + 1)
        text = {"assertion": number, "kind": "cypher", "text": "RETURN 1"}
        return self._add("assertion_results", {"trial_id": trial_id, "passed": passed, "weight": weight} | text)

    def store(self) -> "Evaluation":
        for table, rows in self.rows.items():
            self.warehouse.write(table, self.version, self.key, rows)
        return self

    def scored(self, *wanted: str) -> "Evaluation":
        """Stores the rows and runs every model over them, or the wanted ones with what they read."""
        self.store()
        project = self.warehouse.models
        needed = set(wanted or project.stored)
        for model in reversed(project.order):
            needed |= project.inputs(model) if model in needed else set()
        with open_models(self.warehouse, self.version, self.key) as models:
            for model in project.stored:
                if model in needed:
                    models.run(model)
        return self

    def read(self, table: str) -> list[dict[str, Any]]:
        return self.warehouse.read(table, self.version, self.key)

    def one(self, table: str) -> dict[str, Any]:
        [row] = self.read(table)
        return row

    def _add(self, table: str, row: dict[str, Any]) -> "Evaluation":
        self.rows[table].append(row)
        return self


Failing = Callable[..., dict[str, int]]


@pytest.fixture
def failing_rows(warehouse: Warehouse) -> Failing:
    """How many rows fail each test of a model of an evaluation as it is stored; a view is tested as a whole."""

    def count(model: str, agent_version: str = "marcus@1.0.0", evaluation_id: str = "e1") -> dict[str, int]:
        if warehouse.models.is_view(model):
            return tested_view(warehouse, model, agent_of(agent_version))[1]
        with open_models(warehouse, agent_version, evaluation_id) as models:
            return models.failing(model)

    return count


@pytest.fixture
def evaluation() -> type[Evaluation]:
    return Evaluation


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The dbt project, to be changed."""
    return Path(shutil.copytree(sql_folder(), tmp_path / "dbt_like_sql"))
