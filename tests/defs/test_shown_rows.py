"""What Dagster's records keep of a table."""

import dagster as dg

from stoic_assets.defs.shown_rows import MOST_ROWS, numbers, shown, trial_name


def test_a_long_table_is_shown_by_its_first_rows() -> None:
    table = shown({"place": number} for number in range(1000))
    assert [record.data["place"] for record in table.records] == list(range(MOST_ROWS))


def test_cells_are_what_a_record_can_hold() -> None:
    [record] = shown([{"score": 0.123456, "held": None, "passed": True, "names": ["a.", "b's"], "none": []}]).records
    assert dict(record.data) == {"score": 0.1235, "held": None, "passed": True, "names": "a. · b's", "none": ""}


def test_a_table_without_rows_still_has_its_columns() -> None:
    schema = dg.TableSchema([dg.TableColumn("trial")])
    assert ([column.name for column in shown([], schema).schema.columns], shown([], schema).records) == (["trial"], [])


def test_numbers_have_four_decimals_and_what_was_not_measured_is_left_out() -> None:
    assert numbers({"score": 0.44863338081209736, "spread": None, "trials": 3}) == {"score": 0.4486, "trials": 3}


def test_a_trial_is_called_by_what_tells_it_apart_within_its_evaluation() -> None:
    assert trial_name("e1.mentor.withheld.1", "e1") == "mentor.withheld.1"
