"""The warehouse on a real disk with the real DuckDB, and the traps that were met on the way."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse import empty_files
from stoic_assets.adapters.warehouse.duckdb_engine import fetch
from stoic_assets.adapters.warehouse.exports import export_duckdb
from stoic_assets.adapters.warehouse.file_names import ARCHIVE
from stoic_assets.adapters.warehouse.parquet_files import write_once
from stoic_assets.adapters.warehouse.table_schemas import MODELS, TABLES, arrow_schema
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.errors import ConfigurationError, StoicError

KEY = ("marcus@1.10", "e1")


def turn(number=0, **columns):
    return {"trial_id": "t1", "turn": number, "speaker": "user", "content": "Hello"} | columns


def contents(warehouse, sql="select content from turns order by all"):
    return [row["content"] for row in warehouse.query(sql)]


def test_rows_come_back_as_they_went_in(warehouse):
    row = {
        "agent": "marcus", "started_at": "2026-01-01T02:00:00+02:00", "status": "finished", "offline": True,
        "planned_trials": 3, "cost_usd": 0.25, "judge_models": ("a", "b"), "parents": [],
    }  # fmt: skip
    path = warehouse.write("evaluations", *KEY, [row])
    assert path == warehouse.root / "evaluations" / "agent_version=marcus@1.10" / "e1.1.parquet"
    [read] = warehouse.read("evaluations", *KEY)
    assert read["started_at"] == datetime(2026, 1, 1, tzinfo=UTC)
    assert (read["judge_models"], read["parents"], read["cost_usd"], read["offline"]) == (["a", "b"], [], 0.25, True)
    assert (read["agent_version"], read["evaluation_id"], read["ended_at"]) == ("marcus@1.10", "e1", None)


def test_nested_rows_come_back(warehouse):
    aspect = {"aspect": "candour", "assessment": "plain", "example": "“I do not know”", "score": None}
    verdict = {"trial_id": "t1", "virtue": "courage", "judge_model": "m", "sample": 0, "aspects": [aspect]}
    warehouse.write("virtue_scores", *KEY, [verdict, verdict | {"sample": 1, "aspects": None}])
    assert [row["aspects"] for row in warehouse.read("virtue_scores", *KEY)] == [[aspect], None]


def test_rows_keep_their_order(warehouse):
    warehouse.write("turns", *KEY, [turn(number) for number in (3, 1, 2)])
    assert [row["turn"] for row in warehouse.read("turns", *KEY)] == [3, 1, 2]


def test_nothing_written_is_not_the_same_as_no_rows(warehouse):
    assert not warehouse.has("turns", *KEY)
    with pytest.raises(StoicError, match=r"turns of evaluation e1 \(marcus@1.10\) is missing"):
        warehouse.read("turns", *KEY)
    warehouse.write("turns", *KEY, [])
    assert warehouse.has("turns", *KEY)
    assert warehouse.read("turns", *KEY) == []


def test_a_table_without_any_file_has_a_view(warehouse):
    with warehouse.connect() as engine:
        assert {row[0] for row in engine.execute("show tables").fetchall()} == set(TABLES)
        assert [len(engine.execute(f'select * from "{table}"').fetchall()) for table in TABLES] == [0] * len(TABLES)


def test_version_one_ten_stays_text(warehouse):
    for version in ("marcus@1.10", "marcus@1.9", "2@3", "1.5@2+beta"):
        warehouse.write("turns", version, "e1", [turn()])
    rows = warehouse.query("select agent_version from turns where agent_version > ? order by 1", ["1"])
    assert [row["agent_version"] for row in rows] == ["1.5@2+beta", "2@3", "marcus@1.10", "marcus@1.9"]


def test_columns_that_hold_only_nulls_keep_their_type(warehouse):
    warehouse.write("turns", "marcus@1", "e1", [turn()])
    warehouse.write("turns", "marcus@2", "e2", [turn(events='["a"]', response_ms=1.5, attempts=1)])
    rows = warehouse.query("select typeof(events) as e, typeof(response_ms) as r, typeof(attempts) as a from turns")
    assert rows == [{"e": "VARCHAR", "r": "DOUBLE", "a": "BIGINT"}] * 2


def test_a_correction_counts_and_the_older_file_stays(warehouse):
    first = warehouse.write("turns", *KEY, [turn(content="old"), turn(1, content="old")])
    for content in [f"{n}" for n in range(2, 12)]:
        newest = warehouse.write("turns", *KEY, [turn(content=content)])
    assert (first.name, newest.name) == ("e1.1.parquet", "e1.11.parquet")
    assert first.exists()
    assert contents(warehouse) == ["11"], "11 is more than 9"
    assert [row["content"] for row in warehouse.read("turns", *KEY)] == ["11"]


def test_a_correction_to_no_rows_counts(warehouse):
    warehouse.write("turns", *KEY, [turn(content="wrong")])
    warehouse.write("turns", "marcus@2", "e1", [turn(content="same id, other version")])
    warehouse.write("turns", *KEY, [])
    assert contents(warehouse) == ["same id, other version"]


def test_evaluation_ids_that_look_like_numbered_files_are_kept_apart(warehouse):
    for evaluation_id in ("e1", "e1.1", "e1.1.1", "e1.2.parquet", "-.", "schema-1"):
        warehouse.write("turns", "marcus@1", evaluation_id, [turn(content=evaluation_id)])
    assert contents(warehouse) == ["-.", "e1", "e1.1", "e1.1.1", "e1.2.parquet", "schema-1"]
    assert warehouse.read("turns", "marcus@1", "e1")[0]["content"] == "e1"
    assert not warehouse.has("turns", "marcus@1", "e1.2")


@pytest.mark.parametrize("folder", ["o'clock", "a[1]", "star*", "50%20off", "k=v"])
def test_any_folder_will_do(tmp_path, folder):
    (tmp_path / "a1" / "turns").mkdir(parents=True)
    warehouse = Warehouse(tmp_path / folder / "warehouse")
    warehouse.write("turns", *KEY, [turn()])
    assert warehouse.query("select agent_version from turns") == [{"agent_version": "marcus@1.10"}]
    assert warehouse.read("turns", *KEY)[0]["agent_version"] == "marcus@1.10"
    warehouse.publish()
    export_duckdb(warehouse, tmp_path / f"{folder}.duckdb")
    with duckdb.connect(str(tmp_path / f"{folder}.duckdb"), read_only=True) as engine:
        assert engine.execute("select count(*) from turns").fetchall() == [(1,)]


@pytest.mark.parametrize("version", ["marcus", "a@b@c", "../x@1", "a/b@1", "a@1\n", "", "a@", "ä@1", "a=b@1", "a b@1"])
def test_a_strange_version_is_refused(warehouse, version):
    with pytest.raises(ConfigurationError, match="is not an agent version"):
        warehouse.write("turns", version, "e1", [])
    with pytest.raises(ConfigurationError, match="is not an agent version"):
        warehouse.delete(version)


@pytest.mark.parametrize("evaluation_id", ["", "..", ".e1", "a/b", "a b", "e*", "e1\n", "é"])
def test_a_strange_evaluation_id_is_refused(warehouse, evaluation_id):
    with pytest.raises(ConfigurationError, match="is not an evaluation id"):
        warehouse.write("turns", "marcus@1", evaluation_id, [])


def test_an_unknown_table_is_refused(warehouse):
    with pytest.raises(StoicError, match="no table 'trails'"):
        warehouse.write("trails", *KEY, [])


def test_a_row_that_does_not_fit_leaves_no_file(warehouse):
    with pytest.raises(StoicError, match="row 2 of turns does not fit: turn"):
        warehouse.write("turns", *KEY, [turn(), turn("1")])
    assert not warehouse.has("turns", *KEY)


def test_a_file_from_before_a_column_existed_is_read(warehouse):
    old = arrow_schema("turns").remove(arrow_schema("turns").get_field_index("events"))
    folder = warehouse.root / "turns" / "agent_version=marcus@1.10"
    folder.mkdir(parents=True)
    row = turn(response_ms=0.0, attempts=0, evaluation_id="e1", evaluated_at=datetime.now(UTC))
    pq.write_table(pa.Table.from_pylist([row], schema=old), folder / "e1.1.parquet")
    assert warehouse.read("turns", *KEY)[0]["events"] is None
    assert warehouse.query("select events from turns") == [{"events": None}]


def test_evaluations_come_newest_first(warehouse):
    row = {"agent": "marcus", "status": "conversed", "offline": False, "planned_trials": 1}
    for key, started in (("e1", "2026-01-02"), ("e2", "2026-01-03"), ("e3", "2026-01-01")):
        warehouse.write("evaluations", "marcus@1", key, [row | {"started_at": f"{started}T00:00:00Z"}])
    [last] = warehouse.read("evaluations", "marcus@1", "e3")
    warehouse.write("evaluations", "marcus@1", "e3", [last | {"status": "finished"}])
    assert [(row["evaluation_id"], row["status"]) for row in warehouse.evaluations("marcus@1")] == [
        ("e2", "conversed"), ("e1", "conversed"), ("e3", "finished"),
    ]  # fmt: skip
    assert warehouse.evaluations("marcus@2") == []
    for version, started in (("marcus@2", "2026-01-09"), ("marcus@3", "2026-01-01")):
        warehouse.write("evaluations", version, "e1", [row | {"started_at": f"{started}T00:00:00Z"}])
    assert warehouse.newest_version() == "marcus@2"


def test_the_jobs_of_each_evaluation_of_a_version_are_named_once(warehouse):
    held = {"condition": "withheld", "outcome": "signed_off", "failure_count": 0, "holdout": False, "planned_tasks": 0}
    trials = [held | {"trial_id": f"t{n}", "job": "a", "job_hash": "asks:1", "repeat": n, "turns": 1} for n in (1, 2)]
    for version, key in (("marcus@1", "e1"), ("marcus@1", "e2"), ("marcus@1.10", "e3")):
        warehouse.write("trials", version, key, trials)
    jobs = {row["evaluation_id"]: row for row in warehouse.jobs("marcus@1")}
    known = {"job": "a", "scenario": None, "job_hash": "asks:1", "repeats": 2}
    assert jobs == {key: {"evaluation_id": key, **known} for key in ("e1", "e2")}
    assert len(warehouse.jobs("marcus@1")) == 2
    assert warehouse.jobs("marcus@2") == []


def test_scenarios_and_conditions_are_counted_apart(warehouse):
    held = {"outcome": "signed_off", "failure_count": 0, "holdout": False, "planned_tasks": 0, "turns": 1, "job": "a"}
    played = [("x", "withheld", 1), ("x", "supplied", 1), ("y", "withheld", 1), ("y", "withheld", 2)]
    trials = [
        held | {"trial_id": f"t{n}", "job_hash": "h", "scenario": scenario, "condition": condition, "repeat": repeat}
        for n, (scenario, condition, repeat) in enumerate(played)
    ]
    warehouse.write("trials", *KEY, trials)
    assert {row["scenario"]: row["repeats"] for row in warehouse.jobs(KEY[0])} == {"x": 1, "y": 2}


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


def test_a_query_looks_only_at_the_tables_it_names(warehouse):
    warehouse.write("turns", *KEY, [turn()])
    assert contents(warehouse) == ["Hello"]
    assert {path.name for path in warehouse.root.iterdir()} == {"turns"}


def test_reading_one_evaluation_does_not_look_at_the_others(warehouse):
    path = warehouse.write("turns", *KEY, [turn()])
    (path.parent / "e2.1.parquet").write_bytes(b"not Parquet")
    (path.parent.parent / "agent_version=_" / "other.parquet").write_bytes(b"not Parquet")
    assert len(warehouse.read("turns", *KEY)) == 1


def test_models_are_declared_tables():
    assert set(MODELS) <= set(TABLES)
