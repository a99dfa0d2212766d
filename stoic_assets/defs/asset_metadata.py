"""What Dagster's UI shows of assets: owners, columns, rows, numbers and pages.

Only a few rows of a table: Dagster's records keep each of them three times, for good.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import dagster as dg

from stoic_assets.adapters.warehouse.column_meanings import column_meanings
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.table_schemas import TABLES, columns_of
from stoic_assets.core.jobs.names import trial_name
from stoic_assets.core.table_rows import Row

OWNERS = ["team:agent-quality"]
_KEY = "dagster/column_schema"


def with_columns(assets: Sequence[dg.AssetsDefinition]) -> list[dg.AssetsDefinition]:
    """The same assets; those that are named after their table have its columns as metadata."""

    def described(spec: dg.AssetSpec) -> dg.AssetSpec:
        if (name := spec.key.to_user_string()) not in TABLES:
            return spec
        return spec.replace_attributes(metadata={**spec.metadata, _KEY: schema_of(name)})

    return [each.map_asset_specs(described) for each in assets]


def schema_of(table: str) -> dg.TableSchema:
    """Names, types in DuckDB's SQL, which columns are never null, and what they mean."""
    meanings = column_meanings(table)
    return dg.TableSchema(
        [
            dg.TableColumn(name, kind.duckdb.lower(), meanings[name], dg.TableColumnConstraints(nullable=kind.nullable))
            for name, kind in columns_of(table).items()
        ]
    )


MOST_ROWS = 25
"""The file named next to them contains all rows. Measured: with 200 rows of each table the records of an evaluation of
200 trials were a file of 1.6 MB, with 25 it is one of 1.0."""
DECIMALS = 4


def shown(rows: Iterable[Mapping[str, Any]], schema: dg.TableSchema | None = None) -> dg.TableMetadataValue:
    """The first rows as a table. `schema` gives the columns where there may be no row."""
    records = [dg.TableRecord({name: _cell(value) for name, value in row.items()}) for row in islice(rows, MOST_ROWS)]
    return dg.MetadataValue.table(records, schema=schema)


def numbers(found: Mapping[str, float | None]) -> dict[str, float]:
    """Numbers by the names under which Dagster plots them over partitions, without those that were not measured."""
    return {name: round(value, DECIMALS) for name, value in found.items() if value is not None}


def page(path: Path) -> dict[str, Any]:
    """Where an HTML file is, and how to open it: no browser follows a link from the UI to a file."""
    return {
        "path": dg.MetadataValue.path(path),
        "to_open": "copy the path into the address bar of a browser on the machine that has the file",
    }


def _cell(value: Any) -> str | int | float | bool | None:
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, list | tuple):
        return " · ".join(map(str, value))
    return value if isinstance(value, bool | int | str) or value is None else str(value)


_ONE_FOR_ALL = frozenset({"agent", "evaluation_id", "evaluated_at"})


def of_version(project: SqlProject, model: str, rows: Sequence[Row], version: str) -> dict[str, Any]:
    """Row count; the numbers of this version, which Dagster plots; the first rows, this version's before others.

    A view also has rows of other versions, since it looks across evaluations.
    """
    own = [row for row in rows if row["agent_version"] == version]
    others = [row for row in rows if row["agent_version"] != version]
    others.sort(key=lambda row: row["released_at"], reverse=True)
    return {
        "dagster/row_count": len(rows),
        **_plotted(project, model, own),
        **({"rows": shown(_readable(project, model, [*own, *others]))} if rows else {}),
    }


def _plotted(project: SqlProject, model: str, rows: Iterable[Row]) -> dict[str, float]:
    """Each number, named by its column and what its row is about: `score_wisdom`, or `fitness` for a single row."""
    about = sorted(project.key(model) - _ONE_FOR_ALL - {"agent_version"})
    return numbers(
        {"_".join([name, *(row[each] for each in about)]): row[name] for row in rows for name in project.plotted(model)}
    )


def _readable(project: SqlProject, model: str, rows: Sequence[Row]) -> Iterable[Row]:
    """First the columns that identify the rows, then their numbers, then the rest, without those equal in all rows."""
    same = _ONE_FOR_ALL if project.is_view(model) else _ONE_FOR_ALL | {"agent_version"}
    key, numeric = project.key(model), {name for name, kind in columns_of(model).items() if kind.name == "number"}
    columns = sorted(
        (name for name in rows[0] if name not in same), key=lambda name: (name not in key, name not in numeric)
    )
    for row in rows:
        trial = {"trial_id": trial_name(row["trial_id"], row["evaluation_id"])} if "trial_id" in row else {}
        yield {name: trial.get(name, row[name]) for name in columns}
