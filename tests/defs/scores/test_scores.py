"""The SQL models as assets: all in one step, of the evaluation that is asked for."""

import logging
from collections.abc import Callable
from typing import Any

import dagster as dg
import pytest
from judged_trial import EVALUATION, KEY, STARTED, TRIAL, VERDICT, VERSION, WHOLE, finish, materialise

from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.warehouse.sql_models import EvaluationModels
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import StoicError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.nights.night_record import night_evaluation_id
from stoic_assets.defs.reports import weak_virtue_reports
from stoic_assets.defs.scores import sql_models

CALL = {
    "call_id": "c", "role": "judge", "model": "judge", "cached": False, "prompt_tokens": 1, "completion_tokens": 1,
    "latency_ms": 5.0,
}  # fmt: skip
TASK = {"task": "Ask", "acceptanceCriteria": "It answers"}
JOB = Job.model_validate({"target": {"user": "u", "chatbot": "marcus"}, "tasks": [TASK]})
NIGHTLY = night_evaluation_id("2026-11-22", VERSION, "first")


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
    workplace.warehouse.write("llm_calls", *KEY, [CALL | {"cost_usd": 0.25000001}, CALL | {"error": "HTTP 500"}])
    found = finish(instance, workplace)
    assert (found["invalid_share"], found["cost_usd"], found["status"]) == (0.5, 0.25, "incomplete")
    assert workplace.warehouse.read("evaluation_scores", *KEY)[0]["conclusive"] is False


@pytest.mark.parametrize(
    ("sensor", "evaluation_id", "told_of"),
    [("new_releases", "release-1", [VERSION]), (None, "release-1", []), ("night_watch", NIGHTLY, [])],
)
def test_where_nobody_watches_no_verdict_is_told_of_but_a_night_does_that_itself(
    instance: dg.DagsterInstance, workplace: Workplace, make_manifest: Callable[..., Manifest],
    told: Callable[[], list[dict[str, Any]]], sensor: str | None, evaluation_id: str, told_of: list[str],
) -> None:  # fmt: skip
    about = {"evaluation_id": evaluation_id, "agent_version": VERSION, "started_at": STARTED}
    workplace.evidence.begin(make_manifest(jobs=(JOB,), **about))
    for table in ("evaluations", "task_scores", "tone_scores", "assertion_results"):
        rows = [row | {"evaluation_id": evaluation_id} for row in workplace.warehouse.read(table, *KEY)]
        workplace.warehouse.write(table, VERSION, evaluation_id, rows)
    workplace.warehouse.write("trials", VERSION, evaluation_id, [TRIAL])
    mute = {"trial_id": "t1", "virtue": "wisdom", "judge_model": "judge", "sample": 0, "error": "HTTP 500"}
    workplace.warehouse.write("virtue_scores", VERSION, evaluation_id, [mute])
    workplace.warehouse.write("llm_calls", VERSION, evaluation_id, [])
    tags = {EVALUATION_TAG: evaluation_id} | ({"dagster/sensor_name": sensor} if sensor else {})
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION, tags=tags,
        selection=WHOLE,
    )
    assert result.success
    [made] = result.get_asset_materialization_events()
    why = made.materialization.metadata["no_verdict"].value
    assert str(why).startswith("no verdict: 1 of 1 trial is invalid, more than the 10 % that stoic.yml allows; its")
    assert [entry.user_message for entry in instance.all_logs(result.run_id) if entry.level == logging.WARNING] == [why]
    events = told()
    assert [event["data"]["agent_version"] for event in events] == told_of
    assert [(event["type"], event["data"]["error"]) for event in events] == [("stoic.run_failed", why)] * len(told_of)


def test_without_a_trial_that_ended_no_share_of_them_is_plotted(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    for table in ("trials", "virtue_scores", "assertion_results", "llm_calls"):
        workplace.warehouse.write(table, *KEY, [])
    found = finish(instance, workplace)
    assert found["scored_trials"] == 0
    assert not {"invalid_share", "fitness"} & found.keys()


@pytest.mark.parametrize("judge", ["judge", "offline"])
def test_scores_of_the_stand_in_say_that_they_mean_nothing(
    instance: dg.DagsterInstance, workplace: Workplace, judge: str
) -> None:
    workplace.warehouse.write("virtue_scores", *KEY, [VERDICT | {"judge_model": judge}])
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION}, selection=dg.AssetSelection.assets("trial_virtues", "evaluation_scores"),
    )  # fmt: skip
    said = [event.materialization.metadata["offline"].value for event in result.get_asset_materialization_events()]
    assert said == [judge == "offline"] * 2


def test_one_model_that_is_made_again_alone_goes_by_the_newest_verdicts(
    instance: dg.DagsterInstance, workplace: Workplace
) -> None:
    alone = dg.AssetSelection.assets("composite_scores")
    materialise(instance, workplace, alone)
    workplace.warehouse.write("virtue_scores", *KEY, [VERDICT | {"score": 0.2}])
    made, checks = materialise(instance, workplace, alone)
    assert made == ["composite_scores"]
    assert {check.asset_key.to_user_string() for check in checks} == {"composite_scores"}
    assert workplace.warehouse.read("composite_scores", *KEY)[0]["virtue_overall"] == 0.2
    assert workplace.warehouse.read("evaluation_scores", *KEY)[0]["fitness"] == 0.2


def test_an_evaluation_that_is_finished_alone_goes_by_the_newest_verdicts(
    instance: dg.DagsterInstance, workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    """In trends and comparisons it counts again from then on."""
    tables = EvaluationTables(workplace, make_manifest(evaluation_id=EVALUATION, agent_version=VERSION))
    tables.write("llm_calls", [])
    materialise(instance, workplace, dg.AssetSelection.assets("composite_scores"))
    tables.reopen()
    tables.write("virtue_scores", [VERDICT | {"score": 0.2}])
    assert finish(instance, workplace)["fitness"] == 0.2
    assert tables.read("evaluation_scores", ["fitness"]) == [{"fitness": 0.2}]


def test_after_a_model_that_failed_none_is_made_of_its_earlier_rows(
    instance: dg.DagsterInstance, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = dg.AssetSelection.assets("trial_virtues", "evaluation_virtues", "weak_virtues", "evaluation_scores")
    made, _ = materialise(instance, workplace, asked)
    run = EvaluationModels.run

    def failing(models: EvaluationModels, model: str) -> Any:
        if model == "evaluation_virtues":
            raise StoicError("it fails")
        return run(models, model)

    monkeypatch.setattr(EvaluationModels, "run", failing)
    again, _ = materialise(instance, workplace, asked)
    assert len(made) == 4
    assert again == [model for model in made if model not in ("evaluation_virtues", "weak_virtues")]


def test_every_model_waits_for_all_that_is_judged_in_the_same_run() -> None:
    """All models are made, whichever are selected: Dagster orders steps by what the selected ones depend on."""
    judged = {dg.AssetKey(name) for name in ("transcripts", "virtue_scores", "task_scores", "assertion_results")}
    assert all(judged <= {dep.asset_key for dep in spec.deps} for spec in sql_models.specs)


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


def test_a_model_asks_for_a_version(
    instance: dg.DagsterInstance, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    selection = dg.AssetSelection.assets("trial_virtues")
    assert materialise(instance, workplace, selection, version=None) == ([], [])
    assert "needs an agent version; choose a partition" in capsys.readouterr().err
