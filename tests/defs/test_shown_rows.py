"""What Dagster's records keep of a table."""

import dagster as dg

from stoic_assets.defs.shown_rows import MOST_ROWS, shown


def test_a_long_table_is_shown_by_its_first_rows() -> None:
    table = shown({"place": number} for number in range(1000))
    assert [record.data["place"] for record in table.records] == list(range(MOST_ROWS))


def test_cells_are_what_a_record_can_hold() -> None:
    [record] = shown([{"score": 0.123456, "held": None, "passed": True, "names": ["a", "b"]}]).records
    assert dict(record.data) == {"score": 0.1235, "held": None, "passed": True, "names": "['a', 'b']"}


def test_a_table_without_rows_still_has_its_columns() -> None:
    schema = dg.TableSchema([dg.TableColumn("trial")])
    assert ([column.name for column in shown([], schema).schema.columns], shown([], schema).records) == (["trial"], [])
