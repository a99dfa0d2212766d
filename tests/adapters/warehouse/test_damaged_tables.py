"""Damaged files of tables: each query names the file, a glance finds them beforehand, and whole ones are left alone."""

import random
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from stoic_assets.adapters.warehouse import parquet_files
from stoic_assets.adapters.warehouse.compaction import compact
from stoic_assets.adapters.warehouse.damaged_files import DamagedFile, problem_inside, problem_of
from stoic_assets.adapters.warehouse.exports import export_csv, export_duckdb
from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.table_rows import Row

KEY = ("marcus@1", "e1")
NOW = timedelta(0)


def turn(number: int = 0) -> Row:
    content = random.Random(number).randbytes(40).hex()
    return {"trial_id": "t1", "turn": number, "speaker": "user", "content": content}


def cut(content: bytes) -> bytes:
    return content[:100]


def emptied(content: bytes) -> bytes:
    return b""


def footer(content: bytes) -> bytes:
    return content[:-8] + b"\xff" * 4 + content[-4:]


def damage(path: Path, how=cut) -> None:
    path.write_bytes(how(path.read_bytes()))


@pytest.fixture
def damaged(warehouse: Warehouse) -> Path:
    """A file of turns that is to be damaged, beside whole ones of two other versions."""
    for version in ("marcus@0", "marcus@2"):
        warehouse.write("turns", version, "e1", [turn()])
    return warehouse.write("turns", *KEY, [turn(number) for number in range(500)])


def test_a_file_that_was_found_whole_is_not_read_again_but_a_new_one_is(warehouse: Warehouse, damaged: Path) -> None:
    warehouse.refuse_damaged()
    damage(damaged, cut)
    warehouse.refuse_damaged()
    newer = warehouse.write("turns", "marcus@2", "e2", [])
    damage(newer, cut)
    for _ in range(2):
        with pytest.raises(DamagedFile, match=str(newer)):
            warehouse.refuse_damaged()


@pytest.mark.parametrize("how", [cut, emptied, footer])
def test_what_a_glance_finds_is_named_by_every_query(warehouse: Warehouse, damaged: Path, how) -> None:
    assert list(warehouse.damaged()) == []
    damage(damaged, how)
    said = (
        rf"^table turns of evaluation e1 \(marcus@1\): {damaged} is damaged; restore it from a backup, or move it "
        r"away and run `stoic eval --agent-version marcus@1 --resume e1`"
    )
    for query in (
        lambda: warehouse.read("turns", *KEY),
        lambda: warehouse.query("select * from turns"),
        lambda: warehouse.publish(),
        lambda: export_csv(warehouse, warehouse.root / "csv"),
        lambda: export_duckdb(warehouse, warehouse.root / "all.duckdb"),
    ):
        with pytest.raises(DamagedFile, match=said):
            query()
    assert [str(each) for each in warehouse.damaged()] == [str(DamagedFile(str(damaged)))]
    assert not (warehouse.root / "csv").exists()
    assert warehouse.read("turns", "marcus@2", "e1"), "whole"


def test_damage_inside_a_column_is_named_once_its_rows_are_read(warehouse: Warehouse, damaged: Path) -> None:
    damage(damaged, lambda content: content[:100] + b"\xff" * 400 + content[500:])
    assert problem_of(str(damaged)) is None
    with pytest.raises(DamagedFile, match=rf"{damaged} is damaged"):
        warehouse.query("select * from turns")
    assert problem_inside(str(damaged)) == "is damaged"


def test_the_models_of_an_evaluation_name_the_file(warehouse: Warehouse) -> None:
    virtue = {"trial_id": "t1", "virtue": "courage", "judge_model": "m", "sample": 0}
    path = warehouse.write("virtue_scores", *KEY, [virtue])
    damage(path)
    again = "run `stoic regrade --agent-version marcus@1 --evaluation e1`$"
    with open_models(warehouse, *KEY) as models, pytest.raises(DamagedFile, match=f"{path} is damaged; .* {again}"):
        models.rows("trial_virtues")


def test_a_damaged_archive_stands_for_many_evaluations(warehouse: Warehouse, damaged: Path) -> None:
    for _ in range(2):
        compact(warehouse.root, NOW)
    [archive] = (warehouse.root / "turns" / "archive").glob("0*.parquet")
    assert (list(warehouse.damaged()), problem_inside(str(archive))) == ([], None)
    damage(archive)
    parquet_files._held.cache_clear()  # as in another process
    said = (
        f"^table turns of many evaluations: {archive} is damaged; .* `stoic eval --agent-version A@V --resume ID`.* "
        r"for each evaluation that lost its rows \(`stoic list` names all\)$"
    )
    for query in (lambda: warehouse.has("turns", *KEY), lambda: warehouse.query("select 1 from turns")):
        with pytest.raises(DamagedFile, match=said):
            query()
    assert [str(each) for each in warehouse.damaged()] == [str(DamagedFile(str(archive)))]


@pytest.mark.parametrize("folder", ["agent_version=_", "archive"])
def test_a_damaged_file_without_rows_is_made_again_once_it_is_away(
    warehouse: Warehouse, damaged: Path, folder: str
) -> None:
    [empty] = (warehouse.root / "turns" / folder).iterdir()
    damage(empty)
    said = f"turns of all evaluations: {empty} is damaged; move it away: it has no rows, and is made again"
    with pytest.raises(DamagedFile, match=said):
        warehouse.publish()
    assert [str(each) for each in warehouse.damaged()] == [str(DamagedFile(str(empty)))]
    empty.rename(empty.with_suffix(".old"))
    with duckdb.connect(warehouse.publish()) as published:
        assert published.sql("select count(*) from turns").fetchall() == [(502,)]
    assert list(warehouse.damaged()) == []


def test_a_damaged_file_in_the_columns_of_a_former_release_is_found_too(warehouse: Warehouse, damaged: Path) -> None:
    former = warehouse.root / "turns" / "archive" / "schema-01234567.parquet"
    former.write_bytes(b"")
    assert [str(each) for each in warehouse.damaged()] == [str(DamagedFile(str(former)))]


def test_a_file_without_rows_that_is_damaged_stops_every_query(warehouse: Warehouse, damaged: Path) -> None:
    [empty] = (warehouse.root / "turns" / "agent_version=_").iterdir()
    damage(empty)
    with pytest.raises(DamagedFile, match=f"{empty} is damaged"):
        warehouse.query("select * from turns")


def test_only_what_counts_and_is_asked_for_is_looked_at(warehouse: Warehouse, damaged: Path) -> None:
    damage(damaged)
    assert list(warehouse.damaged(agent_version="marcus@2")) == []
    assert list(warehouse.damaged(["trials"])) == []
    assert len(list(warehouse.damaged(["turns"], "marcus@1"))) == 1
    warehouse.write("turns", *KEY, [turn()])
    assert list(warehouse.damaged()) == []
    assert problem_of(str(damaged)), "but it was replaced"


def test_a_damaged_beginning_is_found_though_duckdb_skips_it(warehouse: Warehouse, damaged: Path) -> None:
    damage(damaged, lambda content: b"\0" * 4 + content[4:])
    assert [str(each) for each in warehouse.damaged()] == [str(DamagedFile(str(damaged)))]


def test_a_file_that_is_gone_is_not_damaged_and_one_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    gone, folder = str(tmp_path / "gone"), tmp_path / "turns" / "agent_version=marcus@1" / "e1.1.parquet"
    assert (problem_of(gone), problem_inside(gone)) == (None, None)
    folder.mkdir(parents=True)
    problem = problem_of(str(folder))
    assert problem == "cannot be read (Is a directory)"
    assert str(DamagedFile(str(folder), problem)).endswith(f"{problem}; check the disk, and who may read it")


def test_a_fault_of_a_query_is_no_damage(warehouse: Warehouse, damaged: Path) -> None:
    with pytest.raises(duckdb.BinderException):
        warehouse.query("select nothing from turns")
    with pytest.raises(duckdb.InvalidInputException, match="out of its range"):
        warehouse.query("select error('out of its range') from turns")


@pytest.mark.parametrize("place", [slice(100, 500), slice(-8, None)])
def test_a_compaction_leaves_out_a_table_with_a_damaged_file(warehouse: Warehouse, damaged: Path, place: slice) -> None:
    for version in ("marcus@1", "marcus@2"):
        warehouse.write("observations", version, "e1", [])
    content = bytearray(damaged.read_bytes())
    content[place] = b"\xff" * len(content[place])
    damaged.write_bytes(content)
    before = sorted((warehouse.root / "turns").rglob("*.parquet"))
    done = {each.table: each for each in compact(warehouse.root, NOW)}
    assert done["turns"].damage == str(DamagedFile(str(damaged)))
    assert (done["turns"].merged, done["turns"].removed, done["turns"].files) == (0, 0, 5)
    assert sorted((warehouse.root / "turns").rglob("*.parquet")) == before
    assert (done["observations"].merged, done["observations"].damage) == (2, None)
    damaged.unlink()
    assert {each.table: each.merged for each in compact(warehouse.root, NOW)}["turns"] == 2
