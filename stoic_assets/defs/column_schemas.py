"""The columns of the table that an asset writes, as Dagster shows them and, of SQL models, their lineage."""

from collections.abc import Sequence

import dagster as dg

from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.table_schemas import TABLES, columns_of

_KEY = "dagster/column_schema"


def with_columns(assets: Sequence[dg.AssetsDefinition]) -> list[dg.AssetsDefinition]:
    """The same assets; those that are called as their table have its columns. `docs/tables.md` says what these mean."""
    project = SqlProject()

    def described(spec: dg.AssetSpec) -> dg.AssetSpec:
        if (name := spec.key.to_user_string()) not in TABLES:
            return spec
        return spec.replace_attributes(metadata={**spec.metadata, _KEY: schema_of(name, project)})

    return [each.map_asset_specs(described) for each in assets]


def schema_of(table: str, project: SqlProject) -> dg.TableSchema:
    """Names, types in DuckDB's SQL, which columns are never null, and what the SQL models say about theirs."""
    said = project.column_descriptions(table)
    return dg.TableSchema(
        [
            dg.TableColumn(name, kind.duckdb.lower(), said.get(name), dg.TableColumnConstraints(nullable=kind.nullable))
            for name, kind in columns_of(table).items()
        ]
    )
