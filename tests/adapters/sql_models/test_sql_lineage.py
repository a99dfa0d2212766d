"""Column lineage, read from the SQL."""

import pytest

from stoic_assets.adapters.sql_lineage import lineage
from stoic_assets.adapters.sql_project import SqlProject
from stoic_assets.adapters.table_schemas import MODELS, columns_of


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
