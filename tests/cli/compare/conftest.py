"""Versions whose stored verdicts `stoic compare` reads through the SQL models."""

import json
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from compare_command import BASE, CANDIDATE, COMMANDS, HEAD, TRIALS, Evaluate, asserted, level, trial, verdicts
from typer.testing import CliRunner

from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.workplace import Workplace, open_workplace


def build(
    workplace: Workplace, version: str, failed: Collection[int] = (), silent: Collection[int] | None = None,
    marks: str = "a,b", trials: Collection[int] = TRIALS, identity: str = "e1", refused: Collection[int] | None = None,
    **head: Any,
) -> None:
    """Stores a version in twelve jobs or fewer: where the agent `failed`, and where judge b was `silent`.

    Nothing is asserted, or one thing: what all trials hold but those that are `refused`.
    """
    warehouse, told = workplace.warehouse, [number for number in trials if number not in failed]
    judges = "a" if silent is None else marks
    task = {"task": "1", "type": "task", "task_text": "Remind me.", "judge_model": judges}
    if silent is not None and marks == "a":
        task["missing"] = '{"b": "402"}'
    stricter = [] if silent is None else told
    tables: dict[str, list[dict[str, Any]]] = {
        "evaluations": [HEAD | head], "tone_scores": [],
        "assertion_results": [asserted(number, number not in refused) for number in told if refused is not None],
        "trials": [trial(number, number in failed) for number in trials],
        "task_scores": [task | {"trial_id": f"t{number}", "score": level(number)} for number in told],
        "virtue_scores": [
            *(row for number in told for row in verdicts(number, "a", level(number))),
            *(
                row for number in stricter
                for row in verdicts(number, "b", None if number in silent else level(number) - 0.3)
            ),
        ],
    }  # fmt: skip
    for table, rows in tables.items():
        warehouse.write(table, version, identity, rows)
    with open_models(warehouse, version, identity) as models:
        for model in ("trial_virtues", "composite_scores", "job_measures"):
            models.run(model)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The warehouse with a version alone; many tests want the same one, which takes 0.2 s to build and is copied."""
    warehouses: dict[str, Path] = {}

    def warehouse(version: str, **asked: Any) -> Path:
        key = f"{version} {sorted(asked.items())}"
        if key not in warehouses:
            folder = tmp_path_factory.mktemp("version")
            env = {"STOIC_HOME": str(folder / "home"), "STOIC_LLM": "offline"}
            workplace = open_workplace(env, start=folder)
            build(workplace, version, **asked)
            warehouses[key] = workplace.warehouse.root
        return warehouses[key]

    return warehouse


@pytest.fixture
def evaluate(workplace: Workplace, built: Callable[..., Path]) -> Evaluate:
    """Stores a version as `build` does, or again with other rows."""

    def make(version: str, **asked: Any) -> None:
        shutil.copytree(built(version, **asked), workplace.warehouse.root, dirs_exist_ok=True)

    return make


@pytest.fixture
def compared(in_project: Path) -> Callable[..., tuple[int, dict[str, Any]]]:

    def run(*more: str) -> tuple[int, dict[str, Any]]:
        options = [BASE, CANDIDATE, "--fail-on", "regression", "--json", *more]
        done = CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
        return done.exit_code, json.loads(done.stdout)

    return run
