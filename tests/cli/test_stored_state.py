"""What `stoic doctor` says of stored data."""

import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.stored_state import STORED

HEAD = {
    "agent": "marcus", "started_at": "2026-01-01T00:00:00Z", "status": "finished", "offline": True, "planned_trials": 1,
}  # fmt: skip


def test_a_damaged_table_is_told_and_missing_if_every_evaluation_needs_it(workplace: Workplace) -> None:
    tables, warehouse = STORED["tables"], workplace.warehouse
    assert tables(workplace) == ("ok", f"no file is damaged in {warehouse.root}")
    files = [warehouse.write("turns", version, "e1", []) for version in ("marcus@1", "marcus@2")]
    head = warehouse.write("evaluations", "marcus@1", "e1", [HEAD])
    assert tables(workplace)[0] == "ok"
    for file in files:
        file.write_bytes(b"")
    state, said = tables(workplace)
    assert state == "note"
    assert said.startswith(f"table turns of evaluation e1 (marcus@1): {files[0]} is damaged; restore it")
    assert said.endswith("; 2 files of tables are damaged in all")
    head.write_bytes(b"")
    with pytest.raises(StorageError, match=rf"table evaluations of evaluation e1 \(marcus@1\): {head} is damaged"):
        tables(workplace)
