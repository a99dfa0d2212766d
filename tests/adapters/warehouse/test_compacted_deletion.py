"""A deleted version leaves the archives at once, takes along what killed compactions left, and disturbs no other."""

import pyarrow.parquet as pq
from stored_turns import compact_twice, everything, parquet_files, turn, write_many

from stoic_assets.adapters.warehouse import empty_files
from stoic_assets.adapters.warehouse import warehouse as warehouse_module
from stoic_assets.adapters.warehouse.compaction import remove_version
from stoic_assets.adapters.warehouse.parquet_files import write_once, write_rows


def test_a_deleted_version_leaves_the_archives_at_once(warehouse):
    write_many(warehouse)
    compact_twice(warehouse)
    warehouse.write("turns", "marcus@1.3", "e7", [turn()])
    warehouse.delete("marcus@1.3")
    warehouse.delete("marcus@1.3")
    assert not warehouse.has("turns", "marcus@1.3", "e1")
    assert not warehouse.has("turns", "marcus@1.3", "e7")
    assert {row["agent_version"] for row in everything(warehouse)} == {f"marcus@1.{n}" for n in (0, 1, 2, 4, 5)}
    [archive] = parquet_files(warehouse)
    assert "marcus@1.3" not in pq.read_table(archive).column("agent_version").to_pylist()
    for version in range(6):
        warehouse.delete(f"marcus@1.{version}")
    assert parquet_files(warehouse) == []


def test_a_version_is_deleted_from_archives_without_those_whose_names_begin_like_it(warehouse):
    for version in ("marcus@1.1", "marcus@1.10", "marcus@1.1-rc"):
        warehouse.write("turns", version, "e1", [turn()])
    compact_twice(warehouse)
    warehouse.delete("marcus@1.1")
    assert {row["agent_version"] for row in everything(warehouse)} == {"marcus@1.10", "marcus@1.1-rc"}


def test_what_a_killed_compaction_left_goes_with_a_deleted_version(warehouse):
    write_many(warehouse)
    draft = warehouse.root / "turns" / "archive" / ".0123.tmp"
    draft.write_text("rows of marcus@1.1")
    remove_version(warehouse.root, "marcus@1.1")
    assert not draft.exists()


def test_a_version_deleted_while_an_empty_file_is_drafted_leaves_the_draft(warehouse):
    """The empty file of archives belongs to no version; whoever deletes one takes the drafts of archives away."""
    write_many(warehouse)
    compact_twice(warehouse)
    path = warehouse.root / "turns" / "archive" / "schema-of-a-newer-program.parquet"

    def fill(file):
        file.write(b"no ")
        remove_version(warehouse.root, "marcus@1.1")
        file.write(b"rows")

    write_once(path, fill)
    assert path.read_bytes() == b"no rows"
    assert not warehouse.has("turns", "marcus@1.1", "e1")
    assert not list(warehouse.root.rglob("*.tmp"))


def test_a_version_deleted_while_another_first_writes_a_table_changes_nothing_for_it(warehouse, monkeypatch):
    """At each file that comes to be: the two without rows, and the version's own."""
    warehouse.write("trials", "marcus@1", "e1", [])
    written = []

    def write(engine, columns, lines, file):
        remove_version(warehouse.root, "marcus@1")
        write_rows(engine, columns, lines, file)
        remove_version(warehouse.root, "marcus@1")
        written.append(file.name)

    for module in (empty_files, warehouse_module):
        monkeypatch.setattr(module, "write_rows", write)
    monkeypatch.setattr(empty_files, "_WITHOUT_ROWS", {})  # as in a process that has written none yet
    warehouse.write("turns", "marcus@2", "e1", [turn(content="kept")])
    assert len(written) == 3
    assert [row["content"] for row in everything(warehouse)] == ["kept"]
