"""Parquet that DuckDB writes holds what it was given, to the last bit, and looks as it did when pyarrow wrote it."""

import itertools
import json
import os
import resource
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.compaction import compact
from stoic_assets.adapters.warehouse.duckdb_engine import open_engine
from stoic_assets.adapters.warehouse.empty_files import make_empty_file
from stoic_assets.adapters.warehouse.parquet_files import archives, place_of, places, write_archive, write_next
from stoic_assets.adapters.warehouse.table_schemas import COMMON, TABLES, columns_of, duckdb_columns
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.virtues import VIRTUES

KEY = ("marcus@1", "e1")
TEXTS = st.text() | st.sampled_from(["", "a\0b", "\r\n\t\x1f", "\u2028\u2029\x85", "\ufeff", "null", "\"\\'", "🦉"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
OBJECTS = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
ASPECTS = st.fixed_dictionaries(
    {"aspect": TEXTS, "assessment": st.none() | TEXTS, "example": st.none() | TEXTS, "score": st.none() | NUMBERS}
)
VALUES = {
    "text": TEXTS,
    "json": st.builds(json.dumps, OBJECTS, indent=st.sampled_from([None, 1]), ensure_ascii=st.booleans()),
    "number": NUMBERS,
    "count": st.integers(-(2**63), 2**63 - 1),
    "flag": st.booleans(),
    "time": st.datetimes(datetime(1, 1, 4), datetime(9999, 12, 28), timezones=st.timezones() | st.just(UTC)),
    "texts": st.lists(TEXTS, max_size=3),
    "aspects": st.lists(ASPECTS, max_size=2),
    "weights": st.fixed_dictionaries(dict.fromkeys(VIRTUES, st.none() | NUMBERS)),
}


def rows_of(table):
    """Rows with a value of any kind, or null, in every column."""
    own = {name: kind for name, kind in columns_of(table).items() if name != "evaluation_id"}
    row = {name: (st.none() | VALUES[kind.name]) if kind.nullable else VALUES[kind.name] for name, kind in own.items()}
    return st.lists(st.fixed_dictionaries(row), max_size=3)


def to_the_bit(value):
    """Comparable, with -0.0 apart from 0.0, and times in UTC: local ones that summer time skips equal none."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, dict):
        return {key: to_the_bit(inner) for key, inner in value.items() if key not in ("agent_version", "evaluation_id")}
    return [to_the_bit(inner) for inner in value] if isinstance(value, list) else value


def turn(content="Hello"):
    return {"trial_id": "t1", "turn": 0, "speaker": "user", "content": content}


@given(st.sampled_from(sorted(TABLES)).flatmap(lambda table: st.tuples(st.just(table), rows_of(table))))
def test_whatever_was_written_is_read_by_duckdb_and_by_pyarrow(written):
    table, rows = written
    with TemporaryDirectory() as folder:
        warehouse = Warehouse(Path(folder))
        path = warehouse.write(table, *KEY, rows)
        declared = pq.read_schema(make_empty_file(warehouse.root / table))
        read = warehouse.read(table, *KEY)
        arrow = pq.ParquetFile(path).read()
    assert [to_the_bit(row) for row in read] == [to_the_bit(row) for row in rows]
    assert [to_the_bit(row) for row in arrow.to_pylist()] == [to_the_bit(row) for row in rows]
    assert arrow.schema.equals(declared)


def described(path):
    """The columns of a file, and their types in DuckDB's SQL."""
    with open_engine() as engine:
        found = engine.execute(f"describe select * from read_parquet('{path}', hive_partitioning=false)").fetchall()
    return [(name, kind) for name, kind, *_ in found]


@pytest.mark.parametrize("table", TABLES)
def test_files_without_rows_have_the_declared_columns(warehouse, table):
    path = warehouse.write(table, *KEY, [])
    [own] = warehouse.root.glob(f"{table}/agent_version=_/schema-*.parquet")
    [archived] = warehouse.root.glob(f"{table}/archive/schema-*.parquet")
    declared = list(duckdb_columns(table).items())
    assert described(path) == described(own) == declared
    assert described(archived) == [("agent_version", "VARCHAR"), *declared]
    assert list(pq.read_schema(own).names)[-2:] == list(COMMON)


@pytest.mark.parametrize("size", [200_000, 10_000_000])
def test_long_texts_and_many_rows_come_back_in_order(warehouse, size):
    texts = [*(f"{number}" for number in range(5_000)), "é\n" * (size // 2), *(f"{number}" for number in range(5_000))]
    path = warehouse.write("turns", *KEY, [turn(text) for text in texts])
    assert [row["content"] for row in warehouse.read("turns", *KEY)] == texts
    assert path.stat().st_size < 100_000


def test_the_same_rows_make_the_same_file(warehouse):
    rows = [turn(str(number % 7)) | {"evaluated_at": "2026-01-01T00:00:00Z"} for number in range(3_000)]
    first, second = (warehouse.write("turns", *KEY, rows).read_bytes() for _ in range(2))
    assert first == second


def test_some_columns_can_be_read(warehouse):
    warehouse.write("turns", *KEY, [turn("a"), turn("b")])
    assert warehouse.read("turns", *KEY, ["content"]) == [{"content": "a"}, {"content": "b"}]


def test_files_that_pyarrow_wrote_are_of_the_same_table(warehouse):
    """Earlier releases wrote so."""
    verdict = {
        "trial_id": "t1", "virtue": "wisdom", "judge_model": "m", "sample": 0, "score": 0.1, "exercised": True,
        "aspects": [{"aspect": "a", "assessment": None, "example": "c", "score": 1.0}], "supporting_examples": ["e"],
        "evaluated_at": datetime(2026, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    warehouse.write("virtue_scores", *KEY, [verdict])
    old = warehouse.root / "virtue_scores" / "agent_version=marcus@0"
    old.mkdir()
    schema = pq.read_schema(make_empty_file(old.parent))
    table = pa.Table.from_pylist([verdict | {"evaluation_id": "e0"}], schema=schema)
    pq.write_table(table, old / "e0.1.parquet")
    together = warehouse.query("select * from virtue_scores order by agent_version")
    assert to_the_bit(together[0]) == to_the_bit(together[1])
    assert to_the_bit(together[0]).items() >= to_the_bit(verdict).items()
    assert sum(done.merged for done in warehouse.compact(timedelta(0))) == 2
    assert warehouse.query("select * from virtue_scores order by agent_version") == together


def test_a_disk_that_is_full_only_for_the_parquet_file_leaves_nothing_behind(tmp_path):
    """The kernel's own limit on the size of a file: the row as JSON is smaller than the names of its columns."""
    script = """
import resource, sys
from pathlib import Path
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
row = {"agent": "a", "started_at": "2026-01-01T00:00:00Z", "status": "s", "offline": True, "planned_trials": 1}
warehouse.write("evaluations", "marcus@1", "e1", [row])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    warehouse.write("evaluations", "marcus@1", "e1", [row])
except StorageError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    folder = tmp_path / "evaluations" / "agent_version=marcus@1"
    assert run.stdout.startswith(f"cannot write to {folder}: IO Error")
    assert run.stdout.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["e1.1.parquet"]


def test_a_disk_that_takes_only_a_part_of_the_rows_keeps_nothing_of_them(warehouse):
    folder = warehouse.write("turns", *KEY, []).parent
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(StorageError, match="File too large; free space, or set STOIC_W") as held:
            warehouse.write("turns", *KEY, [turn("x" * 6_000)])
        assert [path.name for path in folder.iterdir()] == ["e1.1.parquet"], held
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_what_cannot_be_filled_leaves_nothing_behind(tmp_path):
    def fill(file):
        file.write(b"half")
        raise OSError("no more")

    folder = tmp_path / "turns" / "agent_version=marcus@1"
    with pytest.raises(StorageError, match="no more"):
        write_next(folder, "e1", fill)
    assert list(itertools.chain(*(path.iterdir() for path in (folder, folder.parent)))) == [folder]


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, disk):
    path = write_next(tmp_path / "turns" / "agent_version=marcus@1", "e1", lambda file: file.write(b"rows"))
    assert disk.synced[path.stat().st_ino] == len(b"rows")


def test_an_archive_survives_a_power_cut_with_its_name(warehouse, disk):
    """The files that it replaces may be removed afterwards."""
    for evaluation_id in ("e1", "e2"):
        warehouse.write("turns", "marcus@1", evaluation_id, [turn()])
    compact(warehouse.root, timedelta(0))
    [archive] = archives(warehouse.root / "turns")
    path = Path(archive.path)
    assert disk.synced[path.stat().st_ino] == path.stat().st_size
    assert path.name in disk.synced[path.parent.stat().st_ino]


def test_of_archives_with_the_same_evaluation_the_newest_counts(warehouse, monkeypatch):
    """The others may be removed; the system lists them in any order."""
    folder = warehouse.root / "turns"
    for evaluation_id in ("e1", "e2"):
        warehouse.write("turns", "marcus@1", evaluation_id, [turn(evaluation_id)])
    compact(warehouse.root, timedelta(0))
    [first] = archives(folder)
    copies = [folder / "archive" / f"0000000{number}-a.parquet" for number in (2, 3)]
    for copy in copies:
        copy.hardlink_to(first.path)
    listed = os.listdir
    for backwards in (False, True):
        monkeypatch.setattr(os, "listdir", lambda path, backwards=backwards: sorted(listed(path), reverse=backwards))
        assert [each.path for each in archives(folder)] == [first.path, *map(str, copies)]
        assert {place.path for place in places(folder).values()} == {str(copies[-1])}
        assert place_of(folder, ("marcus@1", "e1")) == places(folder)["marcus@1", "e1"]
    assert write_archive(folder, lambda file: file.write(b"")).name.startswith("00000004-")


def test_storing_and_reading_import_no_pyarrow(tmp_path):
    """It would cost every evaluation 60 MB and 0.15 s; DuckDB reads the files anyway."""
    script = """
import sys
from pathlib import Path
from stoic_assets.adapters.warehouse.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
warehouse.write("turns", "marcus@1", "e1", [{"trial_id": "t1", "turn": 0, "speaker": "user", "content": "Hello"}])
assert len(warehouse.read("turns", "marcus@1", "e1")) == len(warehouse.query("select * from turns")) == 1
warehouse.publish()
print({"pyarrow", "pandas", "numpy"} & sys.modules.keys())
"""
    run = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("set()\n", "")
