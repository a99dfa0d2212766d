"""The columns that Dagster shows of each table."""

from stoic_assets.adapters.warehouse.table_schemas import TABLES, columns_of
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.assembly import build_definitions
from stoic_assets.defs.column_schemas import schema_of


def test_every_asset_that_is_called_as_a_table_has_its_columns(workplace: Workplace) -> None:
    specs = {spec.key.to_user_string(): spec for spec in build_definitions(workplace).resolve_all_asset_specs()}
    shown = {name: spec.metadata["dagster/column_schema"] for name, spec in specs.items() if name in TABLES}
    assert {"virtue_scores", "composite_scores", "virtue_trends", "human_ratings", "judge_calibration"} <= shown.keys()
    assert {name: [column.name for column in schema.columns] for name, schema in shown.items()} == {
        name: list(columns_of(name)) for name in shown
    }
    assert "dagster/column_schema" not in specs["transcripts"].metadata


def test_types_are_those_of_sql_and_null_and_meaning_are_said() -> None:
    columns = {column.name: column for column in schema_of("composite_scores").columns}
    assert (columns["overall"].type, columns["overall"].constraints.nullable) == ("double", True)
    assert (columns["valid"].type, columns["valid"].constraints.nullable) == ("boolean", False)
    assert columns["evaluation_id"].description == "the evaluation that the row belongs to"


def test_every_column_of_every_table_has_its_meaning_in_words() -> None:
    told = {(table, column.name): column.description for table in TABLES for column in schema_of(table).columns}
    assert [place for place, meaning in told.items() if not meaning or "](" in meaning] == []
    assert told["trials", "user"] != told["turns", "content"]
