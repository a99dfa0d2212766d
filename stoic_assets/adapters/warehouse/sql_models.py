"""Runs the SQL models of one evaluation, and their tests, over the files of that evaluation only.

dbt binds the same SQL to all evaluations at once; since every model carries `evaluation_id` through its joins and
groups, both give the same rows.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stoic_assets.adapters.warehouse.duckdb_engine import Answer, fetch, open_engine, quoted, twice_if_changed
from stoic_assets.adapters.warehouse.sql_project import ModelTest
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.errors import StoicError
from stoic_assets.core.table_rows import Row

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class EvaluationModels:
    """The models of one evaluation over one connection, in which a table's name means the evaluation's file."""

    def __init__(self, engine: "DuckDBPyConnection", warehouse: Warehouse, agent_version: str, evaluation_id: str):
        self._engine, self._warehouse = engine, warehouse
        self._key = (agent_version, evaluation_id)
        self._bound: set[str] = set()
        self._computed: set[str] = set()

    def rows(self, model: str) -> list[Row]:
        """The rows of a model, computed once from its inputs; afterwards the model's name means them.

        Raises `StoicError` when an input is not there yet or damaged, or when the model is a view, which is queried
        directly.
        """
        models = self._warehouse.models
        if models.is_view(model):
            raise StoicError(f"{model} looks across evaluations and is a view; query it instead of running it")
        # Sorted: the same evidence gives the same file.
        create = f'create temp table "{model}" as select * from ({models.sql[model]}) order by all'
        self._ask(models.inputs(model), lambda: self._engine.execute(create))
        self._computed.add(model)
        return fetch(self._engine, f'from "{model}"')

    def run(self, model: str) -> tuple[Path, list[Row]]:
        """Computes a model and stores its rows. Raises as `rows` does."""
        rows = self.rows(model)
        return self._warehouse.write(model, *self._key, rows), rows

    def failing(self, model: str) -> dict[str, int]:
        """How many rows of a model fail each of its tests, by the test's name; 0 is a pass."""
        tests = self._warehouse.models.tests(model)
        return self._ask(_tested_tables(self._warehouse, model), lambda: _failing(self._engine, tests))

    def _ask(self, tables: Set[str], question: Callable[[], Answer]) -> Answer:
        """The result of `question`, in which these names mean the evaluation's files; it may be called twice.

        Raises `DamagedFile`.
        """

        def bound(again: bool) -> Answer:
            self._bind(tables - self._computed - (set() if again else self._bound))
            return question()

        with self._warehouse.damage_named(tables):
            return twice_if_changed(bound)

    def _bind(self, tables: Set[str]) -> None:
        """Makes the names of these tables mean the evaluation's files."""
        for table in tables:
            scan = self._warehouse.scan_one(table, *self._key)
            self._engine.execute(f'create or replace temp view "{table}" as {scan}')
            self._bound.add(table)


@contextmanager
def open_models(warehouse: Warehouse, agent_version: str, evaluation_id: str) -> Iterator[EvaluationModels]:
    """The models of an evaluation, in one thread: the same evidence gives the same sums, to the last bit."""
    with open_engine(threads=1) as engine:
        yield EvaluationModels(engine, warehouse, agent_version, evaluation_id)


def tested_view(warehouse: Warehouse, model: str, agent: str) -> tuple[list[Row], dict[str, int]]:
    """The rows of a view for one agent, and how many of all its rows fail each test, by the test's name.

    The view is computed once for both, since it reads every stored evaluation.
    """
    models = warehouse.models

    def ask(engine: "DuckDBPyConnection") -> tuple[list[Row], dict[str, int]]:
        engine.execute(f'create or replace temp table "{model}" as {models.sql[model]}')
        rows = fetch(engine, f'select * from "{model}" where agent = ? order by all', [agent])
        return rows, _failing(engine, models.tests(model))

    return warehouse.ask((_tested_tables(warehouse, model) | models.inputs(model)) - {model}, ask)


def _tested_tables(warehouse: Warehouse, model: str) -> frozenset[str]:
    """The tables that the tests of a model read: mostly the model itself."""
    return frozenset[str]().union(*(test.inputs for test in warehouse.models.tests(model)))


def _failing(engine: "DuckDBPyConnection", tests: Sequence[ModelTest]) -> dict[str, int]:
    """How many rows fail each test. One query asks for all: most time is spent parsing queries, not reading rows."""
    counts = [f"select {quoted(test.name)}, count(*) from ({test.sql}\n)" for test in tests]
    return dict(engine.execute(" union all ".join(counts)).fetchall()) if counts else {}
