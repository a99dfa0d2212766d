"""Versions whose stored verdicts `stoic compare` reads through the SQL models."""

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from compare_command import BASE, CANDIDATE, COMMANDS, HEAD, TRIALS, Evaluate, asserted, level, trial, verdicts
from typer.testing import CliRunner

from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.workplace import Workplace


@pytest.fixture
def evaluate(workplace: Workplace) -> Evaluate:
    """A version in twelve jobs or fewer: which trials the agent `failed` in, and which judge b was `silent` on.

    Nothing is asserted, or one thing: what all trials hold but those that are `refused`.
    """

    def make(
        version: str, failed: Collection[int] = (), silent: Collection[int] | None = None, marks: str = "a,b",
        trials: Collection[int] = TRIALS, identity: str = "e1", refused: Collection[int] | None = None, **head: Any,
    ) -> None:
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

    return make


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, dict[str, Any]]]:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STOIC_LLM", "offline")
    monkeypatch.chdir(tmp_path)

    def run(*more: str) -> tuple[int, dict[str, Any]]:
        options = [BASE, CANDIDATE, "--fail-on", "regression", "--json", *more]
        done = CliRunner().invoke(COMMANDS, options, catch_exceptions=False)
        return done.exit_code, json.loads(done.stdout)

    return run
