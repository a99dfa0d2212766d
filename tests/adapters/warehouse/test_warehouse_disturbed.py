"""The warehouse while others write, read, hold and delete, and on a disk that is full or refuses."""

import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from evaluation_heads import evaluation_head
from stored_turns import KEY, turn

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse import empty_files
from stoic_assets.adapters.warehouse.duckdb_engine import fetch
from stoic_assets.adapters.warehouse.file_names import ARCHIVE
from stoic_assets.adapters.warehouse.parquet_files import write_once
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.adapters.warehouse.warehouse import Warehouse


def test_parallel_writers_never_take_each_others_place(warehouse):
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda n: warehouse.write("turns", *KEY, [turn(content=str(n))]), range(24)))
    assert sorted(path.name for path in paths) == sorted(f"e1.{n}.parquet" for n in range(1, 25))
    assert {pq.ParquetFile(path).read()["content"][0].as_py() for path in paths} == {str(n) for n in range(24)}
    assert [path.name for path in paths[0].parent.iterdir() if path.suffix != ".parquet"] == []


def test_readers_see_every_evaluation_while_corrections_arrive(warehouse):
    """A view that lists its files and the newest ones in the wrong order loses rows here within a second."""
    for number in range(30):
        warehouse.write("turns", "marcus@1", f"e{number}", [turn()])
    done = threading.Event()

    def correct():
        while not done.is_set():
            for number in range(30):
                warehouse.write("turns", "marcus@1", f"e{number}", [turn()])

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(correct)
        try:
            counts = {warehouse.query("select count(*) as n from turns")[0]["n"] for _ in range(25)}
        finally:
            done.set()
        writing.result()
    assert counts == {30}


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    """The kernel's own limit on the size of a file stands for the full disk."""
    script = """
import resource, sys
from pathlib import Path
from stoic_assets.adapters.warehouse import duckdb_files
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
warehouse.write("turns", "marcus@1", "e1", [])
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
rows = [{"trial_id": str(n), "turn": n, "speaker": "user", "content": str(hash(str(n)))} for n in range(2000)]
try:
    warehouse.write("turns", "marcus@1", "e1", rows)
except StorageError as error:
    print(error)
try:
    warehouse.publish()
except StorageError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert [line.split(":")[0] for line in run.stdout.splitlines()] == [
        f"cannot write to {tmp_path}/turns/agent_version=marcus@1", f"cannot write {tmp_path}/stoic.duckdb",
    ]  # fmt: skip
    left = {path.name for path in (tmp_path / "turns" / "agent_version=marcus@1").iterdir()}
    assert left == {"e1.1.parquet"}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith((".draft", "stoic"))]


@pytest.mark.long
def test_a_database_that_finds_no_room_leaves_the_one_before(tmp_path):
    """DuckDB closes a file as if nothing had happened, although what it held found no room."""
    script = """
import resource, sys
from pathlib import Path
from stoic_assets.adapters.warehouse import duckdb_files
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.exports import export_duckdb
from stoic_assets.adapters.warehouse.warehouse import Warehouse
warehouse, exported = Warehouse(Path(sys.argv[1])), Path(sys.argv[1], "all.duckdb")
export_duckdb(warehouse, exported)
warehouse.publish()
warehouse.published.with_name(".stoic.duckdb.json").unlink()
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for write in (warehouse.publish, lambda: export_duckdb(warehouse, exported)):
    try:
        write()
    except StorageError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    files = [tmp_path / "stoic.duckdb", tmp_path / "all.duckdb"]
    assert [line.split(": ")[0] for line in run.stdout.splitlines()] == [f"cannot write {file}" for file in files]
    for file in files:
        with duckdb.connect(str(file), read_only=True) as engine:
            assert {row[0] for row in engine.execute("show tables").fetchall()} == set(TABLES)
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".")} == set()


def test_a_root_that_is_a_file_is_one_clear_line(tmp_path):
    (tmp_path / "warehouse").write_text("")
    with pytest.raises(StorageError, match="cannot write to"):
        Warehouse(tmp_path / "warehouse").write("turns", *KEY, [])


def test_what_cannot_be_written_any_more_can_be_read(warehouse, monkeypatch):
    warehouse.write("turns", *KEY, [turn(content="a")])
    warehouse.root.joinpath("turns", ARCHIVE).rename(warehouse.root / "lost")

    def write_elsewhere(path, fill):
        if path.is_relative_to(warehouse.root):
            raise StorageError("read-only")
        write_once(path, fill)

    monkeypatch.setattr(empty_files, "write_once", write_elsewhere)
    before = sorted(warehouse.root.rglob("*"))
    assert [row["content"] for row in warehouse.query("select * from turns")] == ["a"]
    assert warehouse.query("select * from trials") == []
    assert sorted(warehouse.root.rglob("*")) == before
    monkeypatch.setattr(empty_files, "_elsewhere", lambda: warehouse.root)
    with pytest.raises(StorageError, match="read-only"):
        warehouse.query("select * from turns")


def test_the_published_file_is_live(warehouse):
    path = warehouse.publish()
    warehouse.write("turns", *KEY, [turn(content="later")])
    with duckdb.connect(str(path), read_only=True) as engine:
        assert engine.execute("select content from turns").fetchall() == [("later",)]
        assert engine.execute("select * from virtue_trends").fetchall() == []


def contents(file: Path) -> list[tuple[str]]:
    with duckdb.connect(str(file), read_only=True) as engine:
        return engine.execute("select content from turns").fetchall()


def test_a_copy_shows_its_own_rows_once_its_file_is_renewed(warehouse, tmp_path):
    warehouse.write("turns", *KEY, [turn(content="of both")])
    warehouse.publish()
    copy = Warehouse(Path(shutil.copytree(warehouse.root, tmp_path / "copy")))
    copy.renew()
    warehouse.delete(KEY[0])
    assert (contents(warehouse.published), contents(copy.published)) == ([], [("of both",)])


def test_only_a_file_with_other_views_is_renewed_where_it_can_be_written(warehouse, monkeypatch):
    def refused(_: Warehouse) -> Path:
        published.append(1)
        raise StorageError("the disk is read-only")

    published = []
    mark = warehouse.publish().with_name(".stoic.duckdb.json")
    monkeypatch.setattr(Warehouse, "publish", refused)
    warehouse.published.write_bytes(b"what somebody wrote there")
    warehouse.renew()
    for left in ("", "[]"):
        mark.write_text(left)
        warehouse.renew()
    assert published == []
    mark.write_text('{"views": "others"}')
    warehouse.renew()
    assert published == [1]


@pytest.mark.parametrize("read_only", [True, False])
def test_publishing_passes_whoever_holds_the_file(warehouse, read_only):
    path = warehouse.publish()
    hold = (
        f"import duckdb; engine = duckdb.connect({str(path)!r}, read_only={read_only})\n"
        + ("" if read_only else "engine.execute('create table mine as select 1')\n")
        + "print('held', flush=True); input()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", hold], **pipes) as holder:
        assert holder.stdout.readline() == "held\n"
        warehouse.write("turns", *KEY, [turn()])
        assert warehouse.publish() == path
        holder.kill()
    with duckdb.connect(str(path), read_only=True) as engine:
        names = {row[0] for row in engine.execute("show tables").fetchall()}
        assert names == set(TABLES), "what the holder made stays out"
        assert engine.execute("select count(*) from turns").fetchall() == [(1,)]


def test_deleting_a_version_leaves_the_others(warehouse):
    for version in ("marcus@1", "marcus@1.1"):
        for table in ("turns", "trials"):
            warehouse.write(table, version, "e1", [turn()] if table == "turns" else [])
    warehouse.delete("marcus@1")
    warehouse.delete("marcus@1")
    assert warehouse.query("select distinct agent_version from turns") == [{"agent_version": "marcus@1.1"}]
    assert not list(Path(warehouse.root).rglob("agent_version=marcus@1/*"))


def test_what_is_read_while_another_version_is_deleted_from_its_archive_is_read_whole(warehouse, monkeypatch):
    """The archive that both are in gives way to one without the deleted version."""
    for version in (KEY[0], "marcus@1", "marcus@2"):
        warehouse.write("turns", version, KEY[1], [turn()])
    warehouse.compact(timedelta(0))
    found = warehouse.scan_one

    def deleting(*key):
        sql = found(*key)
        monkeypatch.undo()
        warehouse.delete("marcus@1")
        return sql

    def asked(engine):
        warehouse.delete("marcus@2")
        return fetch(engine, "select content from turns")

    monkeypatch.setattr(warehouse, "scan_one", deleting)
    assert [row["content"] for row in warehouse.read("turns", *KEY)] == ["Hello"]
    assert warehouse.agent_versions() == {KEY[0], "marcus@2"}
    assert warehouse.ask({"turns"}, asked) == [{"content": "Hello"}]


def test_a_version_is_listed_while_another_one_is_deleted_from_its_archive(warehouse, monkeypatch):
    for version in (KEY[0], "marcus@1"):
        warehouse.write("evaluations", version, KEY[1], [evaluation_head()])
    warehouse.compact(timedelta(0))
    scan = warehouse._scan

    def deleting(*found):
        sql = scan(*found)
        monkeypatch.undo()
        warehouse.delete("marcus@1")
        return sql

    monkeypatch.setattr(warehouse, "_scan", deleting)
    assert [row["evaluation_id"] for row in warehouse.evaluations(KEY[0])] == [KEY[1]]
    assert warehouse.agent_versions() == {KEY[0]}
