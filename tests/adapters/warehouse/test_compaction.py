"""Compaction on a real disk: the same rows for every reader, and few files afterwards."""

import os
import subprocess
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from evaluation_heads import evaluation_head
from stored_turns import NOW, compact_twice, everything, grow_old, parquet_files, turn, write_many

from stoic_assets.adapters.warehouse import compaction
from stoic_assets.adapters.warehouse.compaction import compact
from stoic_assets.adapters.warehouse.empty_files import make_empty_file


def for_people(warehouse):
    """What the published file shows, made when there were no archives yet."""
    with duckdb.connect(str(warehouse.root / "stoic.duckdb"), read_only=True) as engine:
        return engine.execute("select agent_version, evaluation_id, turn, content from turns order by all").fetchall()


def test_many_versions_come_into_one_file_with_the_same_rows(warehouse):
    write_many(warehouse)
    warehouse.publish()
    rows, shown = everything(warehouse), for_people(warehouse)
    read = warehouse.read("turns", "marcus@1.3", "e1")
    for merged, removed, left in ((12, 0, 13), (0, 12, 1), (0, 0, 1)):
        [turns] = [done for done in compact(warehouse.root, NOW) if done.table == "turns"]
        assert (turns.merged, turns.removed) == (merged, removed)
        assert len(parquet_files(warehouse)) == left
        assert (everything(warehouse), for_people(warehouse)) == (rows, shown)
    assert len(rows) == 33
    assert warehouse.read("turns", "marcus@1.3", "e1") == read, "in the order they were written in"
    assert warehouse.read("turns", "marcus@1.0", "e0") == []
    assert not warehouse.has("turns", "marcus@1.0", "e2")
    assert {path.name for path in (warehouse.root / "turns").iterdir()} == {"agent_version=_", "archive"}


def test_what_is_young_is_neither_merged_nor_removed(warehouse):
    write_many(warehouse)
    assert sum(table.merged for table in compact(warehouse.root)) == 0
    grow_old(warehouse)
    [turns] = compact(warehouse.root)
    assert (turns.merged, turns.removed) == (12, 0), "a reader may have listed them"
    assert len(everything(warehouse)) == 33
    grow_old(warehouse)
    assert [done.removed for done in compact(warehouse.root)] == [12]


def test_the_number_of_files_stays_small_when_every_evaluation_is_a_new_version(warehouse):
    for night in range(40):
        warehouse.write("turns", f"marcus@{night}", "e1", [turn(content=str(night))])
        compact(warehouse.root, NOW)
        assert len(parquet_files(warehouse)) <= 13, "at most log2(40) + 1, and the replaced ones beside the last"
    compact(warehouse.root, NOW)
    assert len(parquet_files(warehouse)) <= 6, "log2(40) + 1"
    assert {row["content"] for row in everything(warehouse)} == {str(night) for night in range(40)}


def test_an_archive_is_not_written_again_for_a_few_new_files(warehouse):
    """Otherwise every row would be written every night, not log2(n) times."""
    write_many(warehouse)
    compact_twice(warehouse)
    [archive] = parquet_files(warehouse)
    for number in range(2):
        warehouse.write("turns", "marcus@2", f"e{number}", [turn()])
    [turns] = compact(warehouse.root, NOW)
    assert turns.merged == 2
    compact(warehouse.root, NOW)
    assert len(parquet_files(warehouse)) == 2
    assert archive in parquet_files(warehouse)


def test_a_single_old_file_stays_where_it_is(warehouse):
    file = warehouse.write("turns", "marcus@1", "e1", [turn()])
    for _ in range(2):
        [turns] = compact(warehouse.root, NOW)
        assert (turns.merged, turns.removed) == (0, 0)
    assert parquet_files(warehouse) == [file]


def test_what_killed_writers_left_is_removed_once_it_is_old(warehouse):
    folder = warehouse.write("turns", "marcus@1", "e1", [turn()]).parent
    old, young = folder / ".0123.tmp", folder / ".4567.tmp"
    for draft in (old, young):
        draft.write_text("rows")
    os.utime(old, (0, 0))
    compact(warehouse.root)
    assert (old.exists(), young.exists()) == (False, True)


def test_a_correction_of_a_merged_evaluation_counts(warehouse):
    write_many(warehouse)
    compact(warehouse.root, NOW)
    path = warehouse.write("turns", "marcus@1.3", "e1", [turn(content="corrected")])
    assert path.name == "e1.2.parquet"
    warehouse.write("turns", "marcus@1.4", "e0", [])
    warehouse.publish()
    for _ in range(2):
        assert [row["content"] for row in warehouse.read("turns", "marcus@1.3", "e1")] == ["corrected"]
        assert warehouse.read("turns", "marcus@1.4", "e0") == []
        assert len(everything(warehouse)) == len(for_people(warehouse)) == 33 - 3 + 1 - 3
        compact(warehouse.root, NOW)
    compact(warehouse.root, NOW)
    assert {path.parent.name for path in parquet_files(warehouse)} == {"archive"}
    assert warehouse.write("turns", "marcus@1.4", "e0", []).name == "e0.3.parquet"


def test_a_correction_that_is_too_young_to_be_merged_stays(warehouse):
    write_many(warehouse)
    compact(warehouse.root, NOW)
    grow_old(warehouse)
    warehouse.write("turns", "marcus@1.3", "e1", [turn(content="corrected")])
    [turns] = compact(warehouse.root)
    assert turns.removed == 12
    assert [row["content"] for row in warehouse.read("turns", "marcus@1.3", "e1")] == ["corrected"]


def test_an_archive_of_another_program_keeps_its_columns(warehouse):
    for number in range(3):
        warehouse.write("turns", "marcus@1", f"e{number}", [turn()])
        if number == 1:
            compact_twice(warehouse)
            [archive] = parquet_files(warehouse)
            table = pq.read_table(archive)
            table = table.append_column("mood", pa.array(["calm"] * len(table)))
            pq.write_table(table.replace_schema_metadata(pq.read_metadata(archive).metadata), archive)
    warehouse.write("turns", "marcus@1", "e3", [turn()])
    compact_twice(warehouse)
    assert "mood" in pq.read_schema(archive).names
    assert len(parquet_files(warehouse)) == 2


def test_merged_evaluations_come_newest_first(warehouse):
    for key, day in (("e1", 2), ("e2", 3), ("e3", 1)):
        warehouse.write("evaluations", "marcus@1", key, [evaluation_head(started_at=f"2026-01-0{day}T00:00:00Z")])
    warehouse.write("evaluations", "marcus@2", "e1", [evaluation_head(started_at="2026-01-09T00:00:00Z")])
    compact(warehouse.root, NOW)
    warehouse.write("evaluations", "marcus@1", "e4", [evaluation_head(started_at="2026-01-04T00:00:00Z")])
    assert [found["evaluation_id"] for found in warehouse.evaluations("marcus@1")] == ["e4", "e2", "e1", "e3"]


def test_files_of_another_program_keep_their_columns(warehouse):
    write_many(warehouse)
    schema = pq.read_schema(make_empty_file(warehouse.root / "turns"))
    newer = schema.append(pa.field("mood", pa.string()))
    older = schema.remove(schema.get_field_index("events"))
    for name, other in (("newer", newer), ("older", older)):
        folder = warehouse.root / "turns" / f"agent_version=marcus@{name}"
        folder.mkdir()
        row = turn(evaluation_id="e1", evaluated_at=None, mood="gay", events=None)
        pq.write_table(pa.Table.from_pylist([row], schema=other), folder / "e1.1.parquet")
    rows = everything(warehouse)
    compact_twice(warehouse)
    assert everything(warehouse) == rows
    assert [path.parent.name for path in parquet_files(warehouse)] == ["agent_version=marcus@newer", "archive"]


def test_large_tables_come_in_row_groups(warehouse, monkeypatch):
    monkeypatch.setattr(compaction, "_GROUP_ROWS", 4)
    write_many(warehouse)
    compact_twice(warehouse)
    [archive] = parquet_files(warehouse)
    assert pq.read_metadata(archive).num_row_groups > 4
    assert len(warehouse.read("turns", "marcus@1.3", "e1")) == 3


def test_merging_imports_no_pandas(warehouse):
    write_many(warehouse)
    script = (
        "import sys\nfrom datetime import timedelta\nfrom pathlib import Path\n"
        "from stoic_assets.adapters.warehouse.compaction import compact\n"
        "print(sum(table.merged for table in compact(Path(sys.argv[1]), timedelta(0))), 'pandas' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script, warehouse.root], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("12 False\n", "")
