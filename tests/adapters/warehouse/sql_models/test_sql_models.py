"""Running models: inputs, determinism, tests, and the agreement with dbt's way of running them."""

import random
from datetime import timedelta

import pytest

from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.warehouse.table_schemas import MODELS, columns_of
from stoic_assets.core.errors import StoicError
from stoic_assets.core.virtues import VIRTUES

KEY = ("marcus@1.0.0", "e1")


def filled(made, seed):
    """A plausible evaluation of twelve trials."""
    chance = random.Random(seed)
    for number in range(12):
        key = f"t{number}"
        outcome = chance.choice(["signed_off", "max_turns", "infra_error"])
        made.trial(key, job=f"job{number % 2}", repeat=number // 2, outcome=outcome, planned_tasks=1)
        made.task(chance.random(), key).tone(chance.random(), key).assertion(chance.random() < 0.5, trial_id=key)
        for virtue in VIRTUES:
            advice = [chance.choice(["ask first", "be kind"])]
            sure = 0.75 + chance.random() / 4
            made.verdict(virtue, key, score=chance.random(), confidence=sure, improvement_suggestions=advice)
    return made


def run(warehouse, model):
    with open_models(warehouse, *KEY) as models:
        models.run(model)


def test_a_missing_input_is_named(warehouse):
    with pytest.raises(StoicError, match=r"virtue_scores of evaluation e1 \(marcus@1.0.0\) is missing"):
        run(warehouse, "trial_virtues")


def test_a_view_is_not_run(warehouse):
    with pytest.raises(StoicError, match="virtue_trends looks across evaluations"):
        run(warehouse, "virtue_trends")


def test_a_model_finds_rows_that_a_compaction_moved_since_another_model_read_them(warehouse, evaluation):
    made = filled(evaluation(warehouse), 1).scored()
    filled(evaluation(warehouse, "marcus@1.1.0", "e2"), 2).scored()
    with open_models(warehouse, *KEY) as models:
        models.rows("composite_scores")
        for _ in range(2):  # the second removes what the first has merged
            warehouse.compact(timedelta(0))
        assert not list((warehouse.root / "assertion_results").glob("agent_version=marcus*"))
        again = models.rows("job_reliability")
        assert set(models.failing("job_reliability").values()) == {0}
    assert [values(row) for row in again] == [values(row) for row in made.read("job_reliability")]


def test_the_models_give_the_declared_columns(warehouse, evaluation):
    filled(evaluation(warehouse), 1).scored()
    for model, sql in warehouse.models.sql.items():
        made = {row["column_name"] for row in warehouse.query(f"select column_name from (describe {sql})")}
        assert made == {"agent_version", *columns_of(model)}, model
    assert set(warehouse.models.sql) == set(MODELS)


def test_the_same_evidence_gives_the_same_rows(warehouse, evaluation):
    made = filled(evaluation(warehouse), 2).scored()
    first = {model: made.read(model) for model in warehouse.models.stored}
    for model in warehouse.models.stored:
        run(warehouse, model)
    again = {model: made.read(model) for model in warehouse.models.stored}
    assert without_times(again) == without_times(first)


def without_times(tables):
    return {table: [values(row) for row in rows] for table, rows in tables.items()}


def test_over_all_evaluations_at_once_a_model_gives_the_same_rows(warehouse, evaluation):
    """dbt runs it so: evaluation_id must be carried through every join and group, even where trial ids are the same."""
    keys = (KEY, ("marcus@1.1.0", "e2"))
    made = [filled(evaluation(warehouse, *key), seed).scored() for seed, key in enumerate(keys)]
    for model in warehouse.models.stored:
        one_by_one = [row for each in made for row in each.read(model)]
        at_once = warehouse.query(f"select * from ({warehouse.models.sql[model]})")
        known = {key(row): approximate(values(row)) for row in one_by_one}
        assert {key(row): values(row) for row in at_once} == known, model
        assert len(at_once) == len(one_by_one) > 0, model


def key(row):
    names = ("agent_version", "evaluation_id", "trial_id", "virtue", "job", "condition", "measure", "k")
    return tuple(str(row.get(name)) for name in names)


def values(row):
    return {name: value for name, value in row.items() if name != "evaluated_at"}


def approximate(row):
    return {name: pytest.approx(value) if isinstance(value, float) else value for name, value in row.items()}


def test_tests_pass_on_sound_rows(warehouse, evaluation, failing_rows):
    filled(evaluation(warehouse), 3).scored()
    for model in warehouse.models.order:
        failing = failing_rows(model)
        assert failing
        assert set(failing.values()) == {0}, model


@pytest.mark.parametrize(
    ("change", "test"),
    [
        ({"overall": 1.5}, "between_overall"),
        ({"outcome": "bored"}, "accepted_values_outcome"),
        ({"trial_id": "t99"}, "relationships_trial_id"),
        ({"failure_penalty": 0.6}, "between_failure_penalty"),
    ],
)
def test_tests_find_unsound_rows(warehouse, evaluation, failing_rows, change, test):
    made = filled(evaluation(warehouse), 4).scored("composite_scores")
    first, *others = made.read("composite_scores")
    warehouse.write("composite_scores", *KEY, [first | change, *others])
    failing = failing_rows("composite_scores")
    assert {name for name, rows in failing.items() if rows} == {test}


def test_twins_are_found(warehouse, evaluation, failing_rows):
    made = filled(evaluation(warehouse), 5).scored("composite_scores")
    rows = made.read("composite_scores")
    warehouse.write("composite_scores", *KEY, [*rows, rows[0]])
    assert failing_rows("composite_scores")["unique_key"] == 1
