"""`dbt build` on the same folder and evidence gives the tables of our own runner, and passes the same tests."""

import json
import os
import random
import subprocess
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.warehouse.duckdb_engine import fetch, open_engine
from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.warehouse.sql_project import SqlProject, sql_folder
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.virtues import VIRTUES

pytestmark = pytest.mark.long
REPEATS = 4
OUTCOMES = ("signed_off", "signed_off", "max_turns", "agent_error")
INVALID = {"reminders.withheld.2": "infra_error", "l'été ☀.supplied.1": "evaluator_error"}
"""As many of 24 trials as leave an evaluation conclusive."""
Rows = dict[str, dict[str, Any]]


@pytest.fixture
def dbt() -> str:
    """The program: what STOIC_DBT names, else that of `make dbt`."""
    made = Path(__file__).parents[2] / ".venv-dbt" / "bin" / "dbt"
    if named := os.environ.get("STOIC_DBT"):
        return named
    if not made.exists():
        pytest.skip("no dbt: run `make dbt`, or set STOIC_DBT to the program")
    return str(made)


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """Two versions in three evaluations, scored by our runner; two were compacted, and one of them corrected since.

    DuckDB would take the name of a folder above for the value of a column, and in another one every sign has a meaning
    in SQL, in a pattern or in dbt.
    """
    warehouse = Warehouse(tmp_path / "outcome=agent_error" / "l'été {name} {{x}} [x]* 100%2F" / "warehouse")
    evaluate(warehouse, "marcus@1.9", "e1", seed=1)
    evaluate(warehouse, "marcus@1.10", "e2", seed=2, started_at="2026-02-01T00:00:00Z")
    warehouse.compact(timedelta(0))
    evaluate(warehouse, "marcus@1.10", "e2", seed=4, started_at="2026-02-01T00:00:00Z")
    child = {"released_at": "2025-12-01T00:00:00Z", "parents": ["marcus@1.9"]}
    evaluate(warehouse, "marcus@1.10", "e3", seed=3, started_at="2026-02-02T00:00:00Z", base="marcus@1.9", **child)
    warehouse.publish()
    return warehouse


def test_dbt_gives_our_tables_and_passes_our_tests(dbt: str, warehouse: Warehouse, tmp_path: Path) -> None:
    """One test, since `dbt build` takes seconds and test processes share no fixtures."""
    project, before = SqlProject(), files_of_project()
    results = build(dbt, tmp_path, warehouse.root)
    assert files_of_project() == before, "dbt leaves nothing in the project"
    tests = [test for model in project.order for test in project.tests(model)]
    assert Counter(result["status"] for result in results) == {"success": len(project.order), "pass": len(tests)}
    with duckdb.connect(str(tmp_path / "built.duckdb"), read_only=True) as of_dbt, open_engine() as ours:
        of_dbt.execute("set TimeZone = 'UTC'")
        warehouse.create_views(ours, frozenset(project.order))
        for model in project.order:
            assert types(of_dbt, model) == types(ours, model), model
            assert keyed(of_dbt, model) == approximate(keyed(ours, model)), model


def build(dbt: str, folder: Path, warehouse: Path) -> list[dict[str, Any]]:
    """Runs `dbt build`, which writes into `folder` alone, and returns its results."""
    project = str(sql_folder())
    command = [
        dbt, "build", "--project-dir", project, "--profiles-dir", project, "--target-path", str(folder / "target"),
        "--log-path", str(folder / "logs"), "--no-use-colors", "--threads", "1",
    ]  # fmt: skip
    wanted = {
        "DO_NOT_TRACK": "1", "STOIC_WAREHOUSE": str(warehouse), "STOIC_DBT_DATABASE": str(folder / "built.duckdb"),
    }  # fmt: skip
    run = subprocess.run(
        command, env={**os.environ, **wanted}, cwd=folder, capture_output=True, text=True, timeout=110
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    return list(json.loads((folder / "target" / "run_results.json").read_text())["results"])


def files_of_project() -> set[Path]:
    return {path for path in sql_folder().rglob("*") if path.is_file()}


def evaluate(warehouse: Warehouse, version: str, key: str, seed: int, base: str | None = None, **head: Any) -> None:
    """Writes a random evaluation and runs the models; of its task scores the second writing counts."""
    chance = random.Random(seed)
    rows: dict[str, list[dict[str, Any]]] = {
        table: [] for table in ("trials", "virtue_scores", "task_scores", "tone_scores", "assertion_results")
    }
    for job in ("reminders", "l'été ☀", "scenes"):
        for repeat in range(1, REPEATS + 1):
            for condition in ("withheld", "supplied"):
                add_trial(rows, chance, f"{job}.{condition}.{repeat}", job, condition, repeat)
    own = evaluation_head(planned_trials=len(rows["trials"])) | head
    warehouse.write("evaluations", version, key, [own])
    warehouse.write("task_scores", version, key, rows["task_scores"][:1])
    for table, written in rows.items():
        warehouse.write(table, version, key, written)
    with open_models(warehouse, version, key) as models:
        for model in warehouse.models.stored:
            models.run(model)
    if base:
        warehouse.write("version_comparisons", version, key, comparisons(base, version))


def add_trial(rows: Any, chance: random.Random, trial: str, job: str, condition: str, repeat: int) -> None:
    """A trial with its verdicts; those of scenes have neither tasks nor assertions."""
    scene = job == "scenes"
    rows["trials"].append({
        "trial_id": trial, "job": job, "scenario": "forum" if scene else None, "holdout": False, "condition": condition,
        "repeat": repeat, "outcome": INVALID.get(trial, chance.choice(OUTCOMES)),
        "failure_count": chance.choice([0, 0, 1, 3]),
        "planned_tasks": 0 if scene else 2, "turns": 4, "aspirational_ms": None if scene else 900.0,
        "average_response_ms": chance.choice([None, 0.0, 1300.5]),
        "virtue_weights": chance.choice([None, {"wisdom": 2.0, "courage": 0.5}]),
    })  # fmt: skip
    for virtue in VIRTUES:
        for sample in range(2):
            rows["virtue_scores"].append(
                {"trial_id": trial, "virtue": virtue, "judge_model": "judge", "sample": sample} | verdict(chance)
            )
    rows["tone_scores"].append({"trial_id": trial, "score": chance.choice([None, 0.25, 0.75])})
    for number, unscored in () if scene else (("1", 0.6), ("2", None)):
        task = {"trial_id": trial, "task": number, "type": "task", "task_text": "Remind me."}
        rows["task_scores"].append(task | {"score": chance.choice([unscored, 0.7, 0.9, 1.0])})
        assertion = {"trial_id": trial, "assertion": number, "kind": "cypher", "text": "RETURN 1"}
        passed, weight = chance.choice([None, False, True, True, True]), chance.choice([0.3, 1.0])
        rows["assertion_results"].append(assertion | {"passed": passed, "weight": weight})


def verdict(chance: random.Random) -> dict[str, Any]:
    if (kind := chance.random()) < 0.1:
        return {"error": "no JSON"}
    if kind < 0.2:
        return {"exercised": False}
    advice = chance.sample(["ask first", "be kind", " be kind ", ""], 2)
    return {
        "score": chance.random(), "confidence": chance.uniform(0.7, 1), "confidence_source": "self",
        "exercised": True, "grounded": chance.choice([None, 0.5, 1.0]), "improvement_suggestions": advice,
    }  # fmt: skip


def comparisons(base: str, candidate: str) -> list[dict[str, Any]]:
    """A verdict on each measure, over both conditions and over one."""
    return [
        {
            "base": base, "candidate": candidate, "measure": measure, "condition": condition, "gating": True, "jobs": 3,
            "delta": 0.05, "verdict": verdict, "base_evaluation_id": "e1", "base_started_at": "2026-01-01T00:00:00Z",
            "offline": False, "notes": [],
        }
        for measure in (*VIRTUES, "task")
        for condition, verdict in (("pooled", "inconclusive"), ("withheld", "regressed"))
    ]  # fmt: skip


def types(engine: duckdb.DuckDBPyConnection, model: str) -> dict[str, str]:
    return {row[0]: row[1] for row in engine.execute(f"describe {model}").fetchall()}


def keyed(engine: duckdb.DuckDBPyConnection, model: str) -> Rows:
    """The rows of a model, each by all in it that is no float."""
    rows = fetch(engine, f"select * from {model}")
    found = {repr([(name, value) for name, value in row.items() if not isinstance(value, float)]): row for row in rows}
    assert len(found) == len(rows) > 0, model
    return found


def approximate(rows: Rows) -> dict[str, Any]:
    """The rows with floats that may differ in the last digits: DuckDB adds in any order."""
    return {
        key: {name: pytest.approx(value) if isinstance(value, float) else value for name, value in row.items()}
        for key, row in rows.items()
    }
