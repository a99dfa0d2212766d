"""Exports of the warehouse: each whole or not at all, exact in DuckDB and Parquet, harmless in a spreadsheet."""

import csv
import json
import shutil
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from stored_turns import KEY, turn

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse.exports import export_csv, export_duckdb, export_parquet
from stoic_assets.adapters.warehouse.table_schemas import TABLES
from stoic_assets.core.errors import ConfigurationError


def test_the_export_stands_alone(warehouse, tmp_path):
    warehouse.write("turns", *KEY, [turn(content="kept")])
    file = tmp_path / "out" / "all.duckdb"
    export_duckdb(warehouse, file)
    warehouse.write("turns", *KEY, [turn(content="new")])
    export_duckdb(warehouse, file)
    warehouse.delete("marcus@1.10")
    with duckdb.connect(str(file), read_only=True) as engine:
        kinds = engine.execute("select table_name, table_type from information_schema.tables").fetchall()
        assert dict(kinds) == dict.fromkeys(TABLES, "BASE TABLE")
        assert engine.execute("select content, agent_version from turns").fetchall() == [("new", "marcus@1.10")]
    assert list(file.parent.iterdir()) == [file]


def test_a_question_mark_in_the_name_of_a_file_is_as_good_as_any_letter(warehouse, tmp_path):
    file = tmp_path / "out" / "why?.duckdb"
    export_duckdb(warehouse, file)
    log = tmp_path / "out" / "why.wal?.duckdb"  # so DuckDB calls it
    log.write_bytes(b"of the old file")
    export_duckdb(warehouse, file)
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_in_which_duckdb_would_not_find_its_log_is_named(warehouse, tmp_path):
    told = r"^DuckDB misreads '\?' in the path /.*/why\?/out; rename that folder, or name a file in another one$"
    with pytest.raises(ConfigurationError, match=told):
        export_duckdb(warehouse, tmp_path / "why?" / "out" / "all.duckdb")
    assert not list(tmp_path.glob("why*"))


def test_a_file_is_exported_out_of_such_a_folder(warehouse, tmp_path, monkeypatch):
    (tmp_path / "why?").mkdir()
    monkeypatch.chdir(tmp_path / "why?")
    for folder in (Path(".."), tmp_path / "why?" / ".."):
        export_duckdb(warehouse, folder / "out" / "all.duckdb")
        assert [file.name for file in (tmp_path / "out").iterdir()] == ["all.duckdb"]
        shutil.rmtree(tmp_path / "out")
    assert not list((tmp_path / "why?").iterdir())


def exported(folder, kind):
    """The files of an exported folder as DuckDB reads them, by table."""
    with duckdb.connect() as engine:
        engine.execute("set TimeZone = 'UTC'")
        return {path.stem: engine.execute(f"from '{path}'").fetchall() for path in folder.glob(f"*.{kind}")}


def test_parquet_is_exported_table_by_table_as_it_is(warehouse, tmp_path):
    warehouse.write("turns", *KEY, [turn(content="=1"), turn(1, content="old")])
    warehouse.write("turns", *KEY, [turn(content="=1")])
    export_parquet(warehouse, tmp_path / "out" / "parquet")
    stored = {table: [tuple(row.values()) for row in warehouse.query(f'from "{table}"')] for table in TABLES}
    assert exported(tmp_path / "out" / "parquet", "parquet") == stored
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["parquet"]


def test_csv_is_exported_for_a_spreadsheet(warehouse, tmp_path):
    quotes = ["=1+1", 'say "no", twice']
    verdict = {"trial_id": "-t", "virtue": "courage", "judge_model": "m", "sample": -1, "score": -0.5}
    aspect = {"aspect": "candour", "assessment": None, "example": "é", "score": 0.5}
    weighed = {"supporting_examples": quotes, "aspects": [aspect], "reasoning": ""}
    warehouse.write("virtue_scores", *KEY, [verdict | weighed | {"evaluated_at": "2026-01-01T01:00:00+01:00"}])
    export_csv(warehouse, tmp_path / "csv")
    assert {path.name for path in (tmp_path / "csv").iterdir()} == {f"{table}.csv" for table in TABLES}
    with (tmp_path / "csv" / "virtue_scores.csv").open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["agent_version"], row["trial_id"], row["sample"], row["score"]) == ("marcus@1.10", "'-t", "-1", "-0.5")
    assert (json.loads(row["supporting_examples"]), json.loads(row["aspects"])) == (quotes, [aspect])
    assert (row["evaluated_at"], row["reasoning"], row["error"]) == ("2026-01-01T00:00:00.000000Z", "", "")
    assert (tmp_path / "csv" / "turns.csv").read_text().startswith("agent_version,evaluation_id,evaluated_at,trial_id,")


def test_no_cell_is_a_formula(warehouse, tmp_path):
    formulas = ["=cmd()", "+1", "-1", "@sum(1)", "\t=1", "\r=1", "\n=1", "＝1"]
    plain = ["1 = 1", "'quoted'", "a\n=1", " = 1", ""]
    warehouse.write("turns", *KEY, [turn(n, content=text, events="-3") for n, text in enumerate([*formulas, *plain])])
    export_csv(warehouse, tmp_path / "csv")
    with (tmp_path / "csv" / "turns.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["content"] for row in rows] == [*(f"'{text}" for text in formulas), *plain]
    assert {row["events"] for row in rows} == {"-3"}, "JSON is exact"


@pytest.mark.parametrize("compacted", [False, True])
def test_what_is_exported_while_another_version_is_deleted_is_whole(warehouse, tmp_path, monkeypatch, compacted):
    create_views = warehouse.create_views

    def deleting(*names):
        create_views(*names)
        monkeypatch.undo()
        warehouse.delete("marcus@1")

    for export in (export_parquet, export_duckdb):
        for version in (KEY[0], "marcus@1"):
            warehouse.write("turns", version, KEY[1], [turn()])
        if compacted:
            warehouse.compact(timedelta(0))
        monkeypatch.setattr(warehouse, "create_views", deleting)
        export(warehouse, tmp_path / export.__name__)
    with duckdb.connect(str(tmp_path / "export_duckdb"), read_only=True) as engine:
        for turns in ("turns", f"'{tmp_path}/export_parquet/turns.parquet'"):
            assert engine.execute(f"select agent_version from {turns}").fetchall() == [(KEY[0],)]


def test_a_folder_that_holds_something_is_refused(warehouse, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("full", "file"):
        for export in (export_csv, export_parquet):
            with pytest.raises(ConfigurationError, match=f"{name} is not an empty folder"):
                export(warehouse, tmp_path / name)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert (tmp_path / "file").read_text() == "mine"
    assert not list(tmp_path.glob(".draft-*"))


def test_nobody_is_left_in_a_folder_that_was_replaced(warehouse, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ConfigurationError, match="is the current folder; name a new one in it"):
        export_csv(warehouse, Path())
    assert Path.cwd() == tmp_path / "here"


def test_where_nothing_can_be_written_is_said_without_the_draft(warehouse):
    with pytest.raises(StorageError) as refused:
        export_duckdb(warehouse, Path("/proc/all.duckdb"))
    assert str(refused.value).startswith("cannot write /proc/all.duckdb: ")
    assert "draft" not in str(refused.value)


def test_an_export_into_an_empty_folder_is_whole_or_is_not(warehouse, tmp_path):
    warehouse.write("turns", *KEY, [turn()])
    broken = warehouse.write("virtue_scores", *KEY, [])
    (tmp_path / "out").mkdir()
    kept = broken.read_bytes()
    broken.write_bytes(b"not Parquet")
    with pytest.raises(StorageError, match=f"{broken} is damaged"):
        export_csv(warehouse, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    broken.write_bytes(kept)
    export_csv(warehouse, tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == len(TABLES)
    assert {path.name for path in tmp_path.iterdir()} == {"warehouse", "out"}
