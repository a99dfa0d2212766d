"""What `stoic doctor` says of stored data."""

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.disk.sqlite_files import open_shared
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import open_instance
from stoic_assets.cli.stored_state import STORED
from stoic_assets.core.errors import ConfigurationError


def test_a_damaged_table_is_told_and_missing_if_every_evaluation_needs_it(workplace: Workplace) -> None:
    tables, warehouse = STORED["tables"], workplace.warehouse
    assert tables(workplace) == ("ok", f"no file is damaged in {warehouse.root}")
    files = [warehouse.write("turns", version, "e1", []) for version in ("marcus@1", "marcus@2")]
    head = warehouse.write("evaluations", "marcus@1", "e1", [evaluation_head()])
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


def test_damaged_records_of_dagster_are_missing_and_so_is_a_wrong_dagster_yaml(workplace: Workplace) -> None:
    dagster, home = STORED["dagster"], workplace.project.home / "dagster"
    assert dagster(workplace) == ("ok", f"no run was recorded yet in {home}")
    assert not home.exists()
    with open_instance(workplace):
        pass
    assert dagster(workplace) == ("ok", f"records of runs in {home}")
    (home / "history" / "runs.db").write_bytes(b"no database")
    with pytest.raises(StorageError, match=r"runs\.db is damaged; move it away"):
        dagster(workplace)
    (home / "history" / "runs.db").unlink()
    for wrong in ("storage: [", "run_storage: {module: nowhere, class: Nothing}"):
        (home / "dagster.yaml").write_text(wrong)
        with pytest.raises(ConfigurationError, match=r"dagster\.yaml.*; (install it, or )?correct the file"):
            dagster(workplace)


def test_a_damaged_judge_cache_is_noted(workplace: Workplace) -> None:
    cache = STORED["judge cache"]
    assert cache(workplace) == ("ok", "0 files of replies")
    files = [workplace.judge_cache(version) / "abc" / "replies.sqlite" for version in ("marcus@1", "marcus@2")]
    for file in files:
        open_shared(file).close()
    assert cache(workplace) == ("ok", "2 files of replies")
    files[0].write_bytes(b"no database")
    assert cache(workplace) == ("note", f"damaged, and may be deleted, since they are only a cache: {files[0]}")
