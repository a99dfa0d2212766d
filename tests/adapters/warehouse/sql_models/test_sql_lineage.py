"""Column lineage, read from the SQL."""

import pytest

from stoic_assets.adapters.warehouse.sql_lineage import FILE, lineage, note
from stoic_assets.adapters.warehouse.sql_project import SqlProject, sql_folder
from stoic_assets.adapters.warehouse.table_schemas import MODELS, columns_of


@pytest.mark.parametrize("model", MODELS)
def test_every_column_has_a_lineage_of_declared_columns(model):
    project = SqlProject()
    found = lineage(project, model)
    assert set(found) == {"agent_version", *columns_of(model)}
    for table, column in {source for sources in found.values() for source in sources}:
        assert table in project.inputs(model)
        assert column in {"agent_version", *columns_of(table)}
    of_nothing = {column for column, sources in found.items() if not sources}
    assert of_nothing == ({"measure"} if model == "job_measures" else set()), "the SQL itself names the measures"


def test_the_total_goes_back_to_what_it_is_made_of():
    sources = lineage(SqlProject(), "composite_scores")["overall"]
    assert {
        ("assertion_results", "weight"),
        ("task_scores", "score"),
        ("trials", "aspirational_ms"),
        ("trials", "failure_count"),
    } <= set(sources)
    assert ("tone_scores", "score") not in sources


def test_lineage_passes_through_lists():
    assert ("virtue_scores", "improvement_suggestions") in lineage(SqlProject(), "weak_virtues")["suggestions"]


def test_what_is_noted_beside_the_models_is_what_their_sql_says(copy):
    assert note(SqlProject(copy)).read_text() == (sql_folder() / FILE).read_text(), "run `make lineage`"


def test_a_model_whose_sql_was_changed_is_read_anew(copy):
    model = copy / "models" / "trial_virtues.sql"
    model.write_text(model.read_text().replace("bool_or(exercised)", "bool_or(score > 0)"))
    assert lineage(SqlProject(copy), "trial_virtues")["exercised"] == [("virtue_scores", "score")]


def test_a_model_whose_macro_was_changed_is_read_anew(copy):
    macro = copy / "macros" / "releases.sql"
    macro.write_text(macro.read_text().replace("    versions.released_at,", "    now() as released_at,"))
    assert lineage(SqlProject(copy), "virtue_trends")["released_at"] == []


def test_settings_change_no_lineage():
    assert SqlProject(variables={"weak_score_below": 0.1}).digest("weak_virtues") == SqlProject().digest("weak_virtues")
