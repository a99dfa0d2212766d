"""Tables below folders whose names mean something to DuckDB, each read in every way, before and after a compaction."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from stoic_assets.adapters.warehouse.duckdb_engine import fetch
from stoic_assets.adapters.warehouse.warehouse import Warehouse

TRIAL = {
    "trial_id": "t", "job": "reminders", "condition": "withheld", "repeat": 1, "outcome": "signed_off", "turns": 4,
    "holdout": False, "failure_count": 0, "planned_tasks": 2,
}  # fmt: skip
WRITTEN = [(version, evaluation) for version in ("m@1.10", "m@1.9") for evaluation in ("e1", "e2")]
COLUMNS = "agent_version, evaluation_id, trial_id, job, condition, outcome, turns"


def queried(warehouse: Warehouse) -> list[dict[str, Any]]:
    return warehouse.query(f"select {COLUMNS} from trials order by all")


def published(warehouse: Warehouse) -> list[dict[str, Any]]:
    """What people see in the DuckDB file."""
    with duckdb.connect(str(warehouse.publish()), read_only=True) as engine:
        return fetch(engine, f"select {COLUMNS} from trials order by all")


def read_one_by_one(warehouse: Warehouse) -> list[dict[str, Any]]:
    return [row for key in WRITTEN for row in warehouse.read("trials", *key, columns=COLUMNS.split(", "))]


WAYS = (queried, published, read_one_by_one)


@pytest.mark.parametrize(
    "above",
    [
        "outcome=agent_error/condition=supplied/job=zzz/turns=0.1", "agent_version=m@1.9", "agent_version=zzz/x=1",
        "a{b}/{name}", "{", "[x]*", "o'clock/u\u0308mlaut/100%25",
    ],
)  # fmt: skip
def test_a_folder_above_the_tables_changes_nothing_in_them(tmp_path: Path, above: str) -> None:
    warehouse = Warehouse(tmp_path / above / "warehouse")
    for key in WRITTEN:
        warehouse.write("trials", *key, [TRIAL])
    shown = {name: TRIAL[name] for name in COLUMNS.split(", ") if name in TRIAL}
    expected = [{"agent_version": version, "evaluation_id": evaluation} | shown for version, evaluation in WRITTEN]
    assert {read: read(warehouse) for read in WAYS} == dict.fromkeys(WAYS, expected)
    warehouse.compact(timedelta(0))
    warehouse.write("trials", *WRITTEN[0], [TRIAL])  # beside the archive
    assert {read: read(warehouse) for read in WAYS} == dict.fromkeys(WAYS, expected)


def test_files_of_other_versions_are_not_opened(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    for version in ("m@1", "m@2"):
        path = warehouse.write("trials", version, "e1", [TRIAL])
    path.write_bytes(b"no Parquet")
    assert warehouse.query("select agent_version from trials where agent_version = ?", ["m@1"]) == [
        {"agent_version": "m@1"}
    ]
