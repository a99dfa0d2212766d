"""What is written into the warehouse comes back, the newest of it, from a real disk by the real DuckDB."""

from datetime import UTC, datetime

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evaluation_heads import evaluation_head
from stored_turns import KEY, turn

from stoic_assets.adapters.warehouse.empty_files import make_empty_file
from stoic_assets.adapters.warehouse.exports import export_duckdb
from stoic_assets.adapters.warehouse.table_schemas import MODELS, TABLES
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.errors import ConfigurationError, StoicError


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


def test_a_missing_table_is_made_by_judging_only_where_the_conversations_are_stored(warehouse):
    with pytest.raises(StoicError, match=r"virtue_scores of evaluation e1 .* missing; .* `stoic eval .* --resume e1`"):
        warehouse.read("virtue_scores", *KEY)
    warehouse.write("trials", *KEY, [])
    with pytest.raises(StoicError, match=r"is missing; materialise that asset first, or run `stoic regrade .* e1`"):
        warehouse.read("virtue_scores", *KEY)


def test_a_table_without_any_file_has_a_view(warehouse):
    assert [warehouse.query(f'select * from "{table}"') for table in TABLES] == [[]] * len(TABLES)


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


@pytest.mark.parametrize("folder", ["a[1]", "star*", "o'clock/50%20off/k=v"])
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
    declared = pq.read_schema(make_empty_file(warehouse.root / "turns"))
    old = declared.remove(declared.get_field_index("events"))
    folder = warehouse.root / "turns" / "agent_version=marcus@1.10"
    folder.mkdir(parents=True)
    row = turn(response_ms=0.0, attempts=0, evaluation_id="e1", evaluated_at=datetime.now(UTC))
    pq.write_table(pa.Table.from_pylist([row], schema=old), folder / "e1.1.parquet")
    assert warehouse.read("turns", *KEY)[0]["events"] is None
    assert warehouse.query("select events from turns") == [{"events": None}]


def test_evaluations_come_newest_first(warehouse):
    row = evaluation_head(status="conversed")
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
