"""What is read of an evaluation to compare it, and that reading leaves the warehouse as it was."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from compared_evaluation import KEY, TABLES

from stoic_assets.adapters.evaluation import comparison_side
from stoic_assets.adapters.evaluation.comparison_side import read_side
from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest
from stoic_assets.adapters.evaluation.report import report_data
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.ratings.calibration_store import PLACE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.table_repair import tables_at


def files(workplace: Workplace) -> set[Path]:
    return {path for path in workplace.project.warehouse.rglob("*.parquet") if "agent_version=_" not in path.parts}


def test_an_evaluation_that_lacks_a_table_is_read_and_nothing_is_written(workplace: Workplace) -> None:
    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    before = files(workplace)
    side = read_side(workplace, *KEY)
    assert {row["measure"]: row["mean"] for row in side.measures} == {
        "wisdom": 0.5, "courage": 0.5, "overall": 0.8,
    }  # fmt: skip
    assert files(workplace) == before


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_side_that_is_judged_again_or_deleted_while_it_is_read_is_refused(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch, is_deleted: bool
) -> None:
    """Else it could mix two judgings."""

    def change(*_: object) -> list[Any]:
        if is_deleted:
            workplace.warehouse.delete(KEY[0])
        else:
            EvaluationTables(workplace, make_manifest(agent_version=KEY[0], evaluation_id=KEY[1])).reopen()
        return []

    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    monkeypatch.setattr(comparison_side, "calibration_rows", change)
    with pytest.raises(ComparisonRefused, match=r"^marcus@1\.0\.0 \(evaluation e1\) was judged again or deleted"):
        read_side(workplace, *KEY)


def test_a_side_knows_what_came_of_its_assertions(workplace: Workplace) -> None:
    row = {"trial_id": "t1", "assertion": "1", "text": "x", "weight": 1.0, "expected": "1", "passed": True}
    for table, rows in (TABLES | {"assertion_results": [row | {"kind": "expression"}]}).items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).assertions == [row]


def test_a_side_knows_which_models_answered(workplace: Workplace) -> None:
    call = {"call_id": "c", "role": "judge", "model": "judge", "cached": False, "latency_ms": 1.0}
    calls = [call | {"served_model": name} for name in ("judge-1", None)]
    for table, rows in (TABLES | {"llm_calls": calls}).items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).served == {("judge", "judge"): {"judge-1": 1}}


def test_a_side_was_judged_when_its_last_verdict_was_given(workplace: Workplace) -> None:
    """Its judge may have moved until then: a part of an evaluation may have been judged again."""
    times = [datetime(2026, 11, day, tzinfo=UTC) for day in (22, 21)]
    verdicts = [row | {"evaluated_at": at} for row, at in zip(TABLES["virtue_scores"], times, strict=True)]
    for table, rows in (TABLES | {"virtue_scores": verdicts}).items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).judged_at == times[0]


def test_a_side_judged_again_from_the_cache_is_as_old_as_its_replies(workplace: Workplace) -> None:
    day = datetime(2026, 11, 21, tzinfo=UTC)
    call = {"role": "judge", "model": "judge", "latency_ms": 1.0}
    calls = [
        call | {"call_id": name, "time": day + timedelta(days=days), "cached": cached, "error": error}
        for name, days, cached, error in [
            ("a", 0, False, None), ("b", 0, False, None), ("c", 5, True, None), ("d", 5, False, "HTTP 500"),
        ]
    ]  # fmt: skip
    user = call | {"call_id": "e", "role": "evaluator", "time": day + timedelta(days=9), "cached": False}
    for table, rows in (TABLES | {"llm_calls": [*calls, user]}).items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).judged_at == day


def test_a_side_of_which_nothing_could_be_judged_has_no_judge(workplace: Workplace) -> None:
    """As when the agent failed in every trial: such a version can be compared by what else was measured."""
    for table, rows in (TABLES | {"virtue_scores": []}).items():
        workplace.warehouse.write(table, *KEY, rows)
    side = read_side(workplace, *KEY)
    assert (side.judged_at, side.judges) == (side.started_at, frozenset())


def test_a_judge_that_gave_no_verdict_at_all_is_no_judge_of_a_side(workplace: Workplace) -> None:
    refused = [row | {"judge_model": "another", "score": None, "error": "HTTP 500"} for row in TABLES["virtue_scores"]]
    for table, rows in (TABLES | {"virtue_scores": [*TABLES["virtue_scores"], *refused]}).items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).judges == {"judge"}


def test_a_side_knows_how_many_confidences_are_calibrated(workplace: Workplace) -> None:
    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).calibrated == 0.5


def test_a_side_knows_how_its_judges_go_with_people(workplace: Workplace) -> None:
    for table, rows in TABLES.items():
        workplace.warehouse.write(table, *KEY, rows)
    assert read_side(workplace, *KEY).agreement == ""
    known = {"virtue": "wisdom", "judge_model": "judge", "estimate": 0.7, "low": 0.5, "high": 0.8}
    rows = [known | {"measure": measure, "items": 20, "raters": 3} for measure in ("spearman", "alpha_people")]
    workplace.warehouse.write("judge_calibration", *PLACE, rows)
    assert read_side(workplace, *KEY).agreement == "Scores that agree with people's: wisdom."


def test_what_a_side_was_asked_is_known_by_job(workplace: Workplace) -> None:
    task = {"trial_id": "t1", "task": "1", "type": "task", "task_text": "Talk", "prompt_hash": "t"}
    asked = [row | {"prompt_hash": "v"} for row in TABLES["virtue_scores"]]
    for table, rows in (TABLES | {"virtue_scores": asked, "task_scores": [task]}).items():
        workplace.warehouse.write(table, *KEY, rows)
    side = read_side(workplace, *KEY)
    assert side.prompts == {("mentor", "virtues"): {"v"}, ("mentor", "tasks"): {"t"}}
    assert side.built_in_prompts == "b"


@pytest.fixture
def held(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Manifest:
    """An evaluation with a manifest, and with the hashes of its jobs in its trials."""
    job = {
        "name": "mentor", "target": {"user": "u", "chatbot": "marcus"}, "repeats": 3,
        "tasks": [{"task": "Talk", "acceptanceCriteria": "Somebody talks"}],
    }  # fmt: skip
    manifest = make_manifest(jobs=(Job.model_validate(job),), agent_version=KEY[0], evaluation_id=KEY[1])
    workplace.evidence.begin(manifest)
    times = {"started_at": "2026-11-20T02:00:00+00:00", "ended_at": "2026-11-20T02:00:01+00:00"}
    stored = [row | times | {"job_hash": manifest.job_hashes["mentor"]} for row in TABLES["trials"]]
    for table, rows in (dict.fromkeys(tables_at("finished"), ()) | TABLES | {"trials": stored}).items():
        workplace.warehouse.write(table, *KEY, rows)
    return manifest


def asked(workplace: Workplace, manifest: Manifest) -> Any:
    """What a comparison goes by, and a report."""
    [trial] = report_data(workplace, manifest).trials
    jobs = read_side(workplace, *KEY).jobs
    assert jobs == {"mentor": trial["job_hash"]}
    return jobs["mentor"]


def test_a_correction_counts(workplace: Workplace, held: Manifest) -> None:
    corrected = held.spec.jobs[0].model_copy(update={"aspirational_average": 10.0})
    EvaluationJudging(workplace, held, JudgingRequest(corrected=[corrected])).update_trials()
    assert asked(workplace, held) == corrected.question_hash() != held.spec.jobs[0].question_hash()
    EvaluationJudging(workplace, held).update_trials()
    assert asked(workplace, held) == held.spec.jobs[0].question_hash()


def test_what_was_blanked_in_the_manifest_counts_in_the_stored_hash(workplace: Workplace, held: Manifest) -> None:
    """Manifests hold jobs without their secrets, and the hashes of jobs with them."""
    [told] = [job.model_copy(update={"facts": ("the key is opensesame",)}) for job in held.spec.jobs]
    workplace.redactor.learn(["opensesame"])
    spec = held.spec.model_copy(update={"jobs": (told,)})
    manifest = held.model_copy(update={"spec": spec, "job_hashes": {"mentor": told.question_hash()}})
    workplace.evidence.begin(manifest)
    [blanked] = manifest.spec.blanked(workplace.redactor).jobs
    EvaluationJudging(workplace, workplace.evidence.manifest(*KEY) or manifest).update_trials()
    assert asked(workplace, manifest) == told.question_hash() != blanked.question_hash()
