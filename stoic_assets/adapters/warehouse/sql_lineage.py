"""Column lineage of the SQL models: from which columns of which tables each column is computed.

What sqlglot finds in the models of the product is stored in a file next to them, since finding it takes 0.4 s a run.
`python -m stoic_assets.adapters.warehouse.sql_lineage` writes that file again.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.table_schemas import duckdb_columns

FILE = "lineage.json"
"""In the dbt project: for each model the digest of its SQL, and for each column its sources, as `table.column`."""
Lineage = dict[str, list[tuple[str, str]]]
"""Column to the `(table, column)` pairs that go into it, sorted; a constant or a count of rows has none."""


def lineage(project: SqlProject, model: str) -> Lineage:
    """The lineage of every column of `model`: the stored one, or from its SQL if that has changed since."""
    noted = _noted(project.folder).get(model)
    if noted is None or noted["sql"] != project.digest(model):
        return _traced(project, model)
    return {column: [_pair(source) for source in sources.split()] for column, sources in noted["columns"].items()}


def _traced(project: SqlProject, model: str) -> Lineage:
    """The lineage of every column of `model`, read from its SQL; nothing is run."""
    from sqlglot.lineage import lineage as trace

    schema = {table: {"agent_version": "VARCHAR"} | duckdb_columns(table) for table in project.inputs(model)}
    roots = trace(None, project.sql[model], schema=schema, dialect="duckdb", trim_selects=False)
    return {column: _leaves(root.walk()) for column, root in roots.items()}


def note(project: SqlProject) -> Path:
    """Writes the lineage of all models next to them. Raises `StorageError`."""
    models = {
        model: {
            "sql": project.digest(model),
            "columns": {column: " ".join(map(".".join, pairs)) for column, pairs in _traced(project, model).items()},
        }
        for model in project.order
    }
    return write_whole(project.folder / FILE, json.dumps(models, indent=1) + "\n")


@cache
def _noted(folder: Path) -> dict[str, dict[str, Any]]:
    file = folder / FILE
    return json.loads(file.read_bytes()) if file.exists() else {}


def _pair(source: str) -> tuple[str, str]:
    table, _, column = source.partition(".")
    return table, column


def _leaves(nodes: Iterable[Any]) -> list[tuple[str, str]]:
    from sqlglot import exp

    tables = (node for node in nodes if isinstance(node.expression, exp.Table))
    return sorted({(node.expression.name, _column(node.name)) for node in tables})


def _column(name: str) -> str:
    """`"trials"."job"` as `job`."""
    return name.rsplit(".", 1)[-1].strip('"')


if __name__ == "__main__":
    note(SqlProject())
