"""Runs the SQL models of one evaluation, each over that evaluation's files and no others, and their tests.

dbt binds the same SQL to all evaluations at once; since every model carries `evaluation_id` through its joins and
groups, both give the same rows.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoic_assets.adapters.sql_project import ModelTest
from stoic_assets.adapters.warehouse import Warehouse, fetch, open_engine
from stoic_assets.core.errors import StoicError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def run_model(warehouse: Warehouse, model: str, agent_version: str, evaluation_id: str) -> Path:
    """Computes one model for one evaluation and stores its rows. Raises as `model_rows` does."""
    rows = model_rows(warehouse, model, agent_version, evaluation_id)
    return warehouse.write(model, agent_version, evaluation_id, rows)


def model_rows(warehouse: Warehouse, model: str, agent_version: str, evaluation_id: str) -> list[dict[str, Any]]:
    """The rows of one model for one evaluation, computed from its evidence.

    Raises `StoicError` when an input is not there yet, or when the model is a view, which needs no running.
    """
    models = warehouse.models
    if models.is_view(model):
        raise StoicError(f"{model} looks across evaluations and is a view; query it instead of running it")
    # One thread and sorted rows: the same evidence gives the same file, to the last bit.
    with open_engine(threads=1) as engine:
        _bind(engine, warehouse, models.inputs(model), agent_version, evaluation_id)
        return fetch(engine, f"select * from ({models.sql[model]}) order by all")


def run_models(warehouse: Warehouse, agent_version: str, evaluation_id: str) -> list[Path]:
    """Runs every stored model of one evaluation, in order."""
    return [run_model(warehouse, model, agent_version, evaluation_id) for model in warehouse.models.stored]


def failing_rows(warehouse: Warehouse, model: str, agent_version: str, evaluation_id: str) -> dict[str, int]:
    """How many rows fail each test of a model, by the test's name; 0 is a pass. A view is tested as a whole."""
    models = warehouse.models
    tests = models.tests(model)
    tables = frozenset[str]().union(*(test.inputs for test in tests))
    if not models.is_view(model):
        with open_engine() as engine:
            _bind(engine, warehouse, tables, agent_version, evaluation_id)
            return _failing(engine, tests)

    def failing(engine: "DuckDBPyConnection") -> dict[str, int]:
        # Computed once for all its tests: it reads every evaluation there ever was.
        engine.execute(f'create or replace temp table "{model}" as {models.sql[model]}')
        return _failing(engine, tests)

    return warehouse.ask((tables | models.inputs(model)) - {model}, failing)


def _failing(engine: "DuckDBPyConnection", tests: Iterable[ModelTest]) -> dict[str, int]:
    return {test.name: len(engine.execute(test.sql).fetchall()) for test in tests}


def _bind(
    engine: "DuckDBPyConnection", warehouse: Warehouse, tables: Iterable[str], agent_version: str, evaluation_id: str
) -> None:
    """Gives each table's name to the file of this evaluation."""
    for table in tables:
        engine.execute(f'create temp view "{table}" as {warehouse.scan_one(table, agent_version, evaluation_id)}')
