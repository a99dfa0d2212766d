"""Column lineage of the SQL models: from which columns of which tables each column is made."""

from collections.abc import Iterable
from typing import Any

from stoic_assets.adapters.sql_project import SqlProject
from stoic_assets.adapters.table_schemas import columns_of

Lineage = dict[str, list[tuple[str, str]]]
"""Column to the `(table, column)` pairs that go into it, sorted; a constant or a count of rows has none."""


def lineage(project: SqlProject, model: str) -> Lineage:
    """The lineage of every column of `model`, read from its SQL; nothing is run."""
    from sqlglot.lineage import lineage as trace

    schema = {
        table: {"agent_version": "VARCHAR"} | {name: kind.duckdb for name, kind in columns_of(table).items()}
        for table in project.inputs(model)
    }
    roots = trace(None, project.sql[model], schema=schema, dialect="duckdb", trim_selects=False)
    return {column: _leaves(root.walk()) for column, root in roots.items()}


def _leaves(nodes: Iterable[Any]) -> list[tuple[str, str]]:
    from sqlglot import exp

    tables = (node for node in nodes if isinstance(node.expression, exp.Table))
    return sorted({(node.expression.name, _column(node.name)) for node in tables})


def _column(name: str) -> str:
    """`"trials"."job"` as `job`."""
    return name.rsplit(".", 1)[-1].strip('"')
