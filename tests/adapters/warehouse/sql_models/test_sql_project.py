"""The dbt project as our runner reads it, and as dbt would."""

import jinja2
import pytest
import yaml

from stoic_assets.adapters.warehouse.duckdb_engine import fetch, open_engine
from stoic_assets.adapters.warehouse.sql_project import SqlProject, model_variables, sql_folder
from stoic_assets.adapters.warehouse.table_schemas import FACTS, MODELS, columns_of
from stoic_assets.core.configuration.settings import Passing, Settings, Trend
from stoic_assets.core.errors import ConfigurationError


@pytest.fixture
def project():
    return SqlProject()


def documents():
    return [yaml.safe_load(file.read_text()) for file in (sql_folder() / "models").glob("*.yml")]


def test_models_stand_after_what_they_read(project):
    assert set(project.order) == set(MODELS)
    for place, model in enumerate(project.order):
        assert not project.inputs(model) & set(project.order[place:]), model


def test_every_model_is_described_and_only_those_across_evaluations_are_views(project):
    assert all(project.description(model) for model in project.order)
    assert set(project.order) - set(project.stored) == {"virtue_trends", "measure_history"}


def test_what_looks_across_evaluations_reads_no_rows_of_trials(project):
    for view in set(project.order) - set(project.stored):
        assert [table for table in project.inputs(view) if "trial_id" in columns_of(table)] == []


def test_every_described_column_exists(project):
    for document in documents():
        for model in document.get("models", []):
            assert {column["name"] for column in model["columns"]} <= set(columns_of(model["name"])), model["name"]


def test_the_sources_are_what_the_models_read(project):
    [source] = [source for document in documents() for source in document.get("sources", [])]
    read = {name for model in project.order for name in project.inputs(model)}
    assert {table["name"] for table in source["tables"]} == read & set(FACTS)


def test_check_names_are_unique_within_a_model_and_fit_for_dagster(project):
    for model in project.order:
        names = [test.name for test in project.tests(model)]
        assert len(names) == len(set(names)) > 0
        assert all(name.isidentifier() for name in names)


def test_a_relationship_reads_the_other_table_too(project):
    [test] = [test for test in project.tests("weak_virtues") if test.name == "relationships_virtue"]
    assert test.inputs == {"weak_virtues", "evaluation_virtues"}


def test_settings_reach_the_sql():
    settings = Settings(trend=Trend(slope=0.37), passing=Passing(task_at_least=0.65))
    project = SqlProject(variables=model_variables(settings))
    assert "0.37 < slope" in project.sql["virtue_trends"]
    assert "< 0.65" in project.sql["composite_scores"]
    assert "0.7" in project.sql["weak_virtues"]


def test_settings_set_every_variable_and_no_other():
    declared = yaml.safe_load((sql_folder() / "dbt_project.yml").read_text())["vars"]
    assert declared == model_variables(Settings())


def test_a_view_brings_what_it_reads(project):
    names = list(project.with_inputs({"virtue_trends", "turns"}))
    assert set(names) == {"turns", "virtue_trends", *project.inputs("virtue_trends")}
    assert names[-1] == "virtue_trends"
    assert list(project.with_inputs({"composite_scores"})) == ["composite_scores"], "a stored model has a file"


def test_an_unknown_table_and_an_unknown_variable_are_refused(copy):
    model = copy / "models" / "evaluation_scores.sql"
    model.write_text("select * from {{ ref('trails') }}")
    with pytest.raises(ConfigurationError, match="reads 'trails'"):
        SqlProject(copy).inputs("evaluation_scores")
    model.write_text("select {{ var('treshold') }} from {{ ref('trial_virtues') }}")
    with pytest.raises(ConfigurationError, match="treshold"):
        SqlProject(copy).inputs("evaluation_scores")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no SQL models"):
        _ = SqlProject(tmp_path).sql


def test_dbts_own_source_declaration_gives_our_rows(warehouse, evaluation):
    """What dbt-duckdb does with it: renders it with jinja, then fills in the table's name by str.format."""
    made = evaluation(warehouse, "marcus@1.10").trial("t1").trial("t2").store()
    warehouse.write("trials", made.version, made.key, made.rows["trials"][:1])
    evaluation(warehouse, "marcus@1.9", "e9").trial("gone").store()
    warehouse.write("trials", "marcus@1.9", "e9", [])
    [source] = [source for document in documents() for source in document.get("sources", [])]
    template = source["config"]["external_location"]
    location = jinja2.Template(template).render(env_var=lambda *_: str(warehouse.root)).format(name="trials")
    with open_engine() as engine:
        rows = fetch(engine, f"select agent_version, trial_id from {location}")
    assert rows == warehouse.query("select agent_version, trial_id from trials")
    assert rows == [{"agent_version": "marcus@1.10", "trial_id": "t1"}]
