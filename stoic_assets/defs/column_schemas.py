"""The columns of the table that an asset writes, as Dagster shows them."""

from collections.abc import Sequence

import dagster as dg

from stoic_assets.adapters.warehouse.column_meanings import column_meanings
from stoic_assets.adapters.warehouse.table_schemas import TABLES, columns_of

_KEY = "dagster/column_schema"


def with_columns(assets: Sequence[dg.AssetsDefinition]) -> list[dg.AssetsDefinition]:
    """The same assets; those that are called as their table have its columns."""

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
