"""What Dagster's UI shows of assets: columns, rows, numbers and pages."""

from collections.abc import Callable
from typing import Any

import dagster as dg
import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.table_schemas import TABLES, columns_of
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.assembly import build_definitions
from stoic_assets.defs.asset_metadata import MOST_ROWS, numbers, schema_of, shown
from stoic_assets.defs.scores import sql_assets, sql_models


def test_every_asset_that_is_called_as_a_table_has_its_columns(workplace: Workplace) -> None:
    specs = {spec.key.to_user_string(): spec for spec in build_definitions(workplace).resolve_all_asset_specs()}
    shown = {name: spec.metadata["dagster/column_schema"] for name, spec in specs.items() if name in TABLES}
    assert {"virtue_scores", "composite_scores", "virtue_trends", "human_ratings", "judge_calibration"} <= shown.keys()
    assert {name: [column.name for column in schema.columns] for name, schema in shown.items()} == {
        name: list(columns_of(name)) for name in shown
    }
    assert "dagster/column_schema" not in specs["transcripts"].metadata


def test_types_are_those_of_sql_and_null_and_meaning_are_said() -> None:
    columns = {column.name: column for column in schema_of("composite_scores").columns}
    assert (columns["overall"].type, columns["overall"].constraints.nullable) == ("double", True)
    assert (columns["valid"].type, columns["valid"].constraints.nullable) == ("boolean", False)
    assert columns["evaluation_id"].description == "the evaluation that the row belongs to"


def test_every_column_of_every_table_has_its_meaning_in_words() -> None:
    told = {(table, column.name): column.description for table in TABLES for column in schema_of(table).columns}
    assert [place for place, meaning in told.items() if not meaning or "](" in meaning] == []
    assert told["trials", "user"] != told["turns", "content"]


def test_a_long_table_is_shown_by_its_first_rows() -> None:
    table = shown({"place": number} for number in range(1000))
    assert [record.data["place"] for record in table.records] == list(range(MOST_ROWS))


def test_cells_are_what_a_record_can_hold() -> None:
    [record] = shown([{"score": 0.123456, "held": None, "passed": True, "names": ["a.", "b's"], "none": []}]).records
    assert dict(record.data) == {"score": 0.1235, "held": None, "passed": True, "names": "a. · b's", "none": ""}


def test_a_table_without_rows_still_has_its_columns() -> None:
    schema = dg.TableSchema([dg.TableColumn("trial")])
    assert ([column.name for column in shown([], schema).schema.columns], shown([], schema).records) == (["trial"], [])


def test_numbers_have_four_decimals_and_what_was_not_measured_is_left_out() -> None:
    assert numbers({"score": 0.44863338081209736, "spread": None, "trials": 3}) == {"score": 0.4486, "trials": 3}


FIRST, SECOND, THIRD = VERSIONS = ("marcus@1.0.0", "marcus@1.1.0", "marcus@1.2.0")
WISDOM = dict(zip(VERSIONS, (0.8, 0.2, 0.5), strict=True))
EVALUATIONS = dict(zip(VERSIONS, ("e1", "e2", "e3"), strict=True))
MODELS = SqlProject().order

Shown = dict[str, dict[str, dg.MetadataValue]]


def facts(version: str) -> dict[str, list[dict[str, Any]]]:
    """One trial, in which its only virtue has the score that the version has."""
    trial_id, started_at = f"{EVALUATIONS[version]}.mentor.withheld.1", f"2026-11-2{VERSIONS.index(version)}T00:00:00Z"
    head = evaluation_head(started_at=started_at)
    trial = {
        "trial_id": trial_id, "job": "mentor", "holdout": False, "condition": "withheld", "repeat": 1,
        "outcome": "signed_off", "failure_count": 0, "planned_tasks": 0, "turns": 2,
    }  # fmt: skip
    verdict = {
        "trial_id": trial_id, "virtue": "wisdom", "judge_model": "judge", "sample": 0, "score": WISDOM[version],
        "confidence": 5 / 6, "confidence_source": "self", "exercised": True,
    }  # fmt: skip
    return {
        "evaluations": [head], "trials": [trial], "virtue_scores": [verdict], "task_scores": [], "tone_scores": [],
        "assertion_results": [], "llm_calls": [], "version_comparisons": [],
    }  # fmt: skip


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, make_manifest: Callable[..., Manifest]) -> Workplace:
    """Three releases of an agent, judged."""
    folder = tmp_path_factory.mktemp("judged")
    workplace = open_workplace({"STOIC_HOME": str(folder / "home"), "STOIC_LLM": "offline"}, start=folder)
    for version, evaluation_id in EVALUATIONS.items():
        workplace.evidence.begin(make_manifest(evaluation_id=evaluation_id, agent_version=version))
        for table, rows in facts(version).items():
            workplace.warehouse.write(table, version, evaluation_id, rows)
    return workplace


@pytest.fixture(scope="module")
def shown_of_models(judged: Workplace) -> list[Shown]:
    """The metadata of all models, as the code location has them: of each version in turn, then of the second again."""
    job = build_definitions(judged).resolve_implicit_global_asset_job_def()
    keys = {dg.AssetKey(model) for model in MODELS}
    checks = {key for view in sql_assets if view is not sql_models for key in view.check_keys}
    part = job.get_subset(asset_selection=keys, asset_check_selection=checks)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("agent_version", VERSIONS)

        def materialise(version: str) -> Shown:
            result = part.execute_in_process(
                partition_key=version, tags={EVALUATION_TAG: EVALUATIONS[version]}, instance=instance
            )
            made = [event.materialization for event in result.get_asset_materialization_events()]
            return {each.asset_key.to_user_string(): dict(each.metadata) for each in made}

        return [materialise(version) for version in (*VERSIONS, SECOND)]


def table_of(metadata: dict[str, dg.MetadataValue]) -> list[dict[str, Any]]:
    value = metadata["rows"]
    assert isinstance(value, dg.TableMetadataValue)
    return [dict(record.data) for record in value.records]


def test_what_is_plotted_at_a_version_is_of_that_version(shown_of_models: list[Shown]) -> None:
    *_, found, again = shown_of_models
    numbers = {
        model: {name: value.value for name, value in metadata.items() if isinstance(value, dg.FloatMetadataValue)}
        for model, metadata in found.items()
    }
    assert numbers == {model: {} for model in MODELS} | {
        "evaluation_virtues": {"score_wisdom": 0.5, "confidence_wisdom": 0.8333},
        "evaluation_scores": {"fitness": 0.5},
        "weak_virtues": {"severity_wisdom": 0.4167},
        "virtue_trends": {"mean_wisdom": 0.5, "slope_wisdom": -0.15},
        "measure_history": {"mean_wisdom": 0.5},
    }
    trends = again["virtue_trends"]
    assert (trends["mean_wisdom"].value, trends["slope_wisdom"].value) == (0.2, -0.6)


def test_a_table_across_versions_begins_with_the_version_that_was_asked_for(shown_of_models: list[Shown]) -> None:
    *_, found, again = shown_of_models
    for model in ("virtue_trends", "measure_history"):
        assert [row["agent_version"] for row in table_of(found[model])] == [THIRD, SECOND, FIRST]
        assert [row["agent_version"] for row in table_of(again[model])] == [SECOND, THIRD, FIRST]
        assert found[model]["dagster/row_count"].value == len(VERSIONS)


def test_what_tells_rows_apart_comes_first_then_numbers(shown_of_models: list[Shown]) -> None:
    found = {model: table_of(metadata) for model, metadata in shown_of_models[0].items() if "rows" in metadata}
    assert list(found["composite_scores"][0])[:5] == ["trial_id", "timing", "task", "assertion", "failure_penalty"]
    assert list(found["evaluation_virtues"][0])[:3] == ["virtue", "score", "confidence"]
    assert list(found["virtue_trends"][0])[:3] == ["agent_version", "virtue", "mean"]
    assert found["composite_scores"][0]["trial_id"] == "mentor.withheld.1"
    for model, [row, *_] in found.items():
        assert not {"evaluation_id", "evaluated_at", "agent"} & row.keys(), model


def test_only_numbers_of_what_a_version_has_one_of_are_plotted() -> None:
    project = SqlProject()
    for model in project.order:
        apart = project.key(model) - {"agent", "agent_version", "evaluation_id"}
        assert not project.plotted(model) or apart <= {"virtue"} or apart <= {"measure"}, model
        assert {columns_of(model)[name].name for name in project.plotted(model)} <= {"number"}
