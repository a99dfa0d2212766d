"""What shows when a model or a row of the scores breaks, and checks that are run alone."""

import re
from collections.abc import Callable

import dagster as dg
import pytest
from judged_trial import EVALUATION, KEY, VERSION, materialise

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.scores import sql_models

TRIAL_VIRTUES = dg.AssetKey("trial_virtues")
MADE = dg.AssetSelection.assets(TRIAL_VIRTUES).without_checks()
SCORE_CHECK = dg.AssetSelection.checks(dg.AssetCheckKey(TRIAL_VIRTUES, "between_score"))


def test_rows_that_fail_a_test_fail_its_check(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = workplace.warehouse.models.sql
    monkeypatch.setitem(sql, "trial_virtues", f"select * replace (score + 1 as score) from ({sql['trial_virtues']})")
    _, checks = materialise(instance, workplace, dg.AssetSelection.assets(TRIAL_VIRTUES))
    failed = {check.check_name for check in checks if not check.passed and check.asset_key == TRIAL_VIRTUES}
    assert failed == {"between_score"}
    assert len(checks) > 1


def test_a_model_that_fails_hides_only_what_reads_it(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(workplace.warehouse.models.sql, "evaluation_virtues", "select nothing")
    made, _ = materialise(instance, workplace)
    assert set(workplace.warehouse.models.stored) - set(made) == {"evaluation_virtues", "weak_virtues"}


def test_each_model_that_fails_is_told(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken = ("evaluation_virtues", "job_measures")
    for model in broken:
        monkeypatch.setitem(workplace.warehouse.models.sql, model, f"select nothing_of_{model}")
    materialise(instance, workplace, dg.AssetSelection.assets(*broken))
    said = re.findall(r" - (\w+): .*nothing_of_(\w+)", capsys.readouterr().err)
    assert said == [("evaluation_virtues",) * 2, ("job_measures",) * 2]


def test_a_model_fails_by_no_other_that_it_does_not_read(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    for table in ("task_scores", "assertion_results"):
        workplace.warehouse.file(table, *KEY).unlink()  # type: ignore[union-attr]
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION}, selection=dg.AssetSelection.assets("trial_virtues"),
    )  # fmt: skip
    [event] = result.get_asset_materialization_events()
    assert event.materialization.asset_key == TRIAL_VIRTUES


def test_a_model_that_is_asked_for_fails_by_what_it_lacks(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    workplace.warehouse.file("task_scores", *KEY).unlink()  # type: ignore[union-attr]
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION}, selection=dg.AssetSelection.assets("composite_scores"), raise_on_error=False,
    )  # fmt: skip
    [failure] = [event.step_failure_data.user_failure_data for event in result.all_events if event.is_step_failure]
    assert failure is not None
    assert f"task_scores of evaluation {EVALUATION} ({VERSION}) is missing" in (failure.description or "")


def test_no_evaluation_is_finished_by_a_model_that_failed_though_it_was_not_selected(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    materialise(instance, workplace, MADE)
    workplace.warehouse.write("llm_calls", VERSION, EVALUATION, [])  # all that `evaluations` needs besides
    monkeypatch.setitem(workplace.warehouse.models.sql, "evaluation_scores", "select nothing")
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION}, selection=dg.AssetSelection.assets("composite_scores", "evaluations"),
        raise_on_error=False,
    )  # fmt: skip
    made = [event.materialization.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    assert made == ["composite_scores"]
    assert not result.success


def test_checks_alone_are_of_the_version_evaluated_last(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    """Dagster lets nobody choose a partition for them."""
    materialise(instance, workplace, MADE)
    made, [check] = materialise(instance, workplace, SCORE_CHECK, version=None)
    assert (made, check.check_name, check.passed) == ([], "between_score", True)


def test_checks_alone_pass_over_an_evaluation_that_was_cut_short(
    instance: dg.DagsterInstance, workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    materialise(instance, workplace, MADE)
    later = "2026-11-21T00:00:00+00:00"
    workplace.evidence.begin(make_manifest(evaluation_id="killed", agent_version=VERSION, started_at=later))
    result = dg.materialize([sql_models], resources={"workplace": workplace}, instance=instance, selection=SCORE_CHECK)
    assert [check.passed for check in result.get_asset_check_evaluations()] == [True]


def test_checks_alone_are_no_run_of_the_evaluation(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    """By its last run it is known whether it came to its end."""
    materialise(instance, workplace, MADE)
    for selection, tags in ((SCORE_CHECK, None), (dg.AssetSelection.assets("trial_virtues"), EVALUATION)):
        result = dg.materialize(
            [sql_models], resources={"workplace": workplace}, instance=instance, selection=selection,
            partition_key=VERSION if tags else None,
        )  # fmt: skip
        run = instance.get_run_by_id(result.run_id)
        assert run is not None
        assert run.tags.get(EVALUATION_TAG) == tags


def test_every_check_says_what_it_looks_for() -> None:
    found = {spec.name: spec.description for spec in sql_models.check_specs if spec.asset_key == TRIAL_VIRTUES}
    assert found["between_score"] == (
        "Fails when this query returns a row:\n\n```sql\nselect * from trial_virtues where score not between 0 and "
        "1\n```"
    )
    assert all(found.values())


def test_a_check_goes_with_another_model(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    materialise(instance, workplace, MADE)
    both = dg.AssetSelection.assets("weak_virtues").without_checks() | SCORE_CHECK
    made, [check] = materialise(instance, workplace, both)
    assert made == ["weak_virtues"]
    assert (check.check_name, check.passed) == ("between_score", True)
