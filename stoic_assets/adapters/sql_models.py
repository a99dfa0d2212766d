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
from stoic_assets.core.releases import agent_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Row = dict[str, Any]


def run_model(warehouse: Warehouse, model: str, agent_version: str, evaluation_id: str) -> Path:
    """Computes one model for one evaluation and stores its rows. Raises as `model_rows` does."""
    rows = model_rows(warehouse, model, agent_version, evaluation_id)
    return warehouse.write(model, agent_version, evaluation_id, rows)


def model_rows(warehouse: Warehouse, model: str, agent_version: str, evaluation_id: str) -> list[Row]:
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
    if warehouse.models.is_view(model):
        return tested_view(warehouse, model, agent_of(agent_version))[1]
    with open_engine() as engine:
        _bind(engine, warehouse, _tested_tables(warehouse, model), agent_version, evaluation_id)
        return _failing(engine, warehouse.models.tests(model))


def tested_view(warehouse: Warehouse, model: str, agent: str) -> tuple[list[Row], dict[str, int]]:
    """The rows of a view for one agent, and how many of all its rows fail each test, as `failing_rows` says it.

    The view is computed once for both: it reads every evaluation there ever was.
    """
    models = warehouse.models

    def ask(engine: "DuckDBPyConnection") -> tuple[list[Row], dict[str, int]]:
        engine.execute(f'create or replace temp table "{model}" as {models.sql[model]}')
        rows = fetch(engine, f'select * from "{model}" where agent = ?', [agent])
        return rows, _failing(engine, models.tests(model))

    return warehouse.ask((_tested_tables(warehouse, model) | models.inputs(model)) - {model}, ask)


def _tested_tables(warehouse: Warehouse, model: str) -> frozenset[str]:
    """What the tests of a model read: mostly itself."""
    return frozenset[str]().union(*(test.inputs for test in warehouse.models.tests(model)))


def _failing(engine: "DuckDBPyConnection", tests: Iterable[ModelTest]) -> dict[str, int]:
    return {test.name: len(engine.execute(test.sql).fetchall()) for test in tests}


def _bind(
    engine: "DuckDBPyConnection", warehouse: Warehouse, tables: Iterable[str], agent_version: str, evaluation_id: str
) -> None:
    """Gives each table's name to the file of this evaluation."""
    for table in tables:
        engine.execute(f'create temp view "{table}" as {warehouse.scan_one(table, agent_version, evaluation_id)}')
