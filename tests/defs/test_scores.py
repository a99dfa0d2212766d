"""The SQL models as assets: all in one step, and what shows when one of them breaks."""

import re
from collections.abc import Callable, Iterator

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import EVALUATION_TAG, Manifest
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.reports import weak_virtue_reports
from stoic_assets.defs.scores import evaluations, sql_models

VERSION, EVALUATION, STARTED = "marcus@1.0.0", "e1", "2026-11-20T00:00:00+00:00"
KEY = (VERSION, EVALUATION)
TRIAL_VIRTUES = dg.AssetKey("trial_virtues")
SCORE_CHECK = dg.AssetSelection.checks(dg.AssetCheckKey(TRIAL_VIRTUES, "between_score"))
TRIAL = {
    "trial_id": "t1", "job": "mentor", "holdout": False, "condition": "withheld", "repeat": 1,
    "outcome": "signed_off", "failure_count": 0, "planned_tasks": 0, "turns": 2,
}  # fmt: skip
VERDICT = {
    "trial_id": "t1", "virtue": "wisdom", "judge_model": "judge", "sample": 0, "score": 0.6, "confidence": 1.0,
    "confidence_source": "self", "exercised": True,
}  # fmt: skip
CALL = {
    "call_id": "c", "role": "judge", "model": "judge", "cached": False, "prompt_tokens": 1, "completion_tokens": 1,
    "latency_ms": 5.0,
}  # fmt: skip
CHECK = {"trial_id": "t1", "assertion": "1", "kind": "cypher", "text": "RETURN 1", "passed": True, "weight": 1.0}


@pytest.fixture
def workplace(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Workplace:
    """One judged trial."""
    workplace.evidence.begin(make_manifest(evaluation_id=EVALUATION, agent_version=VERSION, started_at=STARTED))
    head = {"agent": "marcus", "started_at": STARTED, "status": "finished", "offline": False, "planned_trials": 1}
    tables = {
        "evaluations": [head], "trials": [TRIAL], "virtue_scores": [VERDICT], "task_scores": [], "tone_scores": [],
        "assertion_results": [CHECK],
    }  # fmt: skip
    for table, rows in tables.items():
        workplace.warehouse.write(table, *KEY, rows)
    return workplace


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(agent_versions.name), [VERSION])
        yield instance


def materialise(
    instance: dg.DagsterInstance, workplace: Workplace, selection: dg.AssetSelection | None = None,
    version: str | None = VERSION,
) -> tuple[list[str], list[dg.AssetCheckEvaluation]]:
    """The models that were materialised, in order, and the checks that were evaluated."""
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=version,
        tags={EVALUATION_TAG: EVALUATION}, raise_on_error=False, selection=selection,
    )  # fmt: skip
    made = [event.materialization.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    return made, list(result.get_asset_check_evaluations())


def test_one_step_makes_all_models_of_an_evaluation(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    models = workplace.warehouse.models
    made, checks = materialise(instance, workplace)
    assert made == list(models.stored)
    assert {(check.asset_key.to_user_string(), check.check_name) for check in checks} == {
        (model, test.name) for model in models.stored for test in models.tests(model)
    }
    assert all(check.passed and check.target_materialization_data for check in checks)
    assert workplace.warehouse.read("evaluation_scores", *KEY)[0]["fitness"] == 0.6


def test_the_evaluation_is_told_by_what_its_gate_goes_by(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    """Of two trials that ended one is invalid, whatever number was planned; a call that failed hides no cost."""
    workplace.warehouse.write("trials", *KEY, [TRIAL, TRIAL | {"trial_id": "t2", "outcome": "infra_error"}])
    workplace.warehouse.write("llm_calls", *KEY, [CALL | {"cost_usd": 0.25}, CALL | {"error": "HTTP 500"}])
    materialise(instance, workplace)
    result = dg.materialize(
        [evaluations], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION},
    )  # fmt: skip
    [event] = result.get_asset_materialization_events()
    found = {name: value.value for name, value in event.materialization.metadata.items()}
    assert (found["invalid_share"], found["cost_usd"], found["status"]) == (0.5, 0.25, "incomplete")
    assert workplace.warehouse.read("evaluation_scores", *KEY)[0]["conclusive"] is False


def test_without_a_trial_that_ended_no_share_of_them_is_plotted(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    for table in ("trials", "virtue_scores", "assertion_results", "llm_calls"):
        workplace.warehouse.write(table, *KEY, [])
    materialise(instance, workplace)
    result = dg.materialize(
        [evaluations], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION},
    )  # fmt: skip
    [event] = result.get_asset_materialization_events()
    assert event.materialization.metadata["scored_trials"].value == 0
    assert not {"invalid_share", "fitness"} & event.materialization.metadata.keys()


@pytest.mark.parametrize("judge", ["judge", "offline"])
def test_scores_of_the_stand_in_say_that_they_mean_nothing(
    instance: dg.DagsterInstance, workplace: Workplace, judge: str
) -> None:
    workplace.warehouse.write("virtue_scores", *KEY, [VERDICT | {"judge_model": judge}])
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION},
    )  # fmt: skip
    said = [event.materialization.metadata["offline"].value for event in result.get_asset_materialization_events()]
    assert set(said) == {judge == "offline"}


def test_rows_that_fail_a_test_fail_its_check(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = workplace.warehouse.models.sql
    monkeypatch.setitem(sql, "trial_virtues", f"select * replace (score + 1 as score) from ({sql['trial_virtues']})")
    _, checks = materialise(instance, workplace)
    failed = {check.check_name for check in checks if not check.passed and check.asset_key == TRIAL_VIRTUES}
    assert failed == {"between_score"}


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
    for model in ("evaluation_virtues", "job_measures"):
        monkeypatch.setitem(workplace.warehouse.models.sql, model, f"select nothing_of_{model}")
    materialise(instance, workplace)
    said = re.findall(r" - (\w+): .*nothing_of_(\w+)", capsys.readouterr().err)
    assert said == [("evaluation_virtues",) * 2, ("job_measures",) * 2]


def test_one_model_that_is_made_again_alone_goes_by_the_newest_verdicts(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    materialise(instance, workplace)
    workplace.warehouse.write("virtue_scores", *KEY, [VERDICT | {"score": 0.2}])
    made, checks = materialise(instance, workplace, dg.AssetSelection.assets("composite_scores"))
    assert made == ["composite_scores"]
    assert {check.asset_key.to_user_string() for check in checks} == {"composite_scores"}
    assert workplace.warehouse.read("composite_scores", *KEY)[0]["virtue_overall"] == 0.2
    assert workplace.warehouse.read("evaluation_scores", *KEY)[0]["fitness"] == 0.2


def test_every_model_waits_for_all_that_is_judged_in_the_same_run() -> None:
    """All models are made, whichever are selected: Dagster orders steps by what the selected ones depend on."""
    judged = {dg.AssetKey(name) for name in ("transcripts", "virtue_scores", "task_scores", "assertion_results")}
    assert all(judged <= {dep.asset_key for dep in spec.deps} for spec in sql_models.specs)


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


def test_no_evaluation_is_finished_by_a_model_that_failed_though_it_was_not_selected(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    materialise(instance, workplace)
    workplace.warehouse.write("llm_calls", VERSION, EVALUATION, [])  # all that `evaluations` needs besides
    monkeypatch.setitem(workplace.warehouse.models.sql, "evaluation_scores", "select nothing")
    result = dg.materialize(
        [sql_models, evaluations], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION}, selection=dg.AssetSelection.assets("composite_scores", "evaluations"),
        raise_on_error=False,
    )  # fmt: skip
    made = [event.materialization.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    assert made == ["composite_scores"]
    assert not result.success


def test_composite_scores_are_enough_for_a_report_of_weak_virtues(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    result = dg.materialize(
        [sql_models, weak_virtue_reports], resources={"workplace": workplace}, instance=instance,
        partition_key=VERSION, tags={EVALUATION_TAG: EVALUATION},
        selection=dg.AssetSelection.assets("composite_scores", "weak_virtue_reports"),
    )  # fmt: skip
    made = [event.materialization.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    assert made == ["composite_scores", "weak_virtue_reports"]


def test_checks_alone_are_of_the_version_evaluated_last(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    """Dagster lets nobody choose a partition for them."""
    materialise(instance, workplace)
    made, [check] = materialise(instance, workplace, SCORE_CHECK, version=None)
    assert (made, check.check_name, check.passed) == ([], "between_score", True)


def test_checks_alone_are_no_run_of_the_evaluation(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    """By its last run it is known whether it came to its end."""
    materialise(instance, workplace)
    for selection, tags in ((SCORE_CHECK, None), (dg.AssetSelection.assets("trial_virtues"), EVALUATION)):
        result = dg.materialize(
            [sql_models], resources={"workplace": workplace}, instance=instance, selection=selection,
            partition_key=VERSION if tags else None,
        )  # fmt: skip
        run = instance.get_run_by_id(result.run_id)
        assert run is not None
        assert run.tags.get(EVALUATION_TAG) == tags


def test_a_model_asks_for_a_version(
    instance: dg.DagsterInstance, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    selection = dg.AssetSelection.assets("trial_virtues")
    assert materialise(instance, workplace, selection, version=None) == ([], [])
    assert "needs an agent version; choose a partition" in capsys.readouterr().err


def test_every_check_says_what_it_looks_for() -> None:
    found = {spec.name: spec.description for spec in sql_models.check_specs if spec.asset_key == TRIAL_VIRTUES}
    assert found["between_score"] == (
        "Fails when this query returns a row:\n\n```sql\nselect * from trial_virtues where score not between 0 and "
        "1\n```"
    )
    assert all(found.values())


def test_a_check_goes_with_another_model(instance: dg.DagsterInstance, workplace: Workplace) -> None:
    materialise(instance, workplace)
    both = dg.AssetSelection.assets("weak_virtues").without_checks() | SCORE_CHECK
    made, [check] = materialise(instance, workplace, both)
    assert made == ["weak_virtues"]
    assert (check.check_name, check.passed) == ("between_score", True)
