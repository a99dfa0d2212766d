"""What a corrected job changes in the rows that scores go by, and what judges see of it."""

import asyncio
import json
from collections.abc import Callable

import pytest
from judged_chat import chat, conversed
from scripted_model import ScriptedModel

from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import REGRADING
from stoic_assets.core.jobs.correction import Correction


def test_a_correction_reaches_the_trials_and_is_taken_back(
    workplace: Workplace, manifest: Manifest, tables: EvaluationTables
) -> None:
    before = tables.read("trials")
    corrected = chat(aspirationalAverage=10, virtues={"wisdom": 2}, holdout=True, tags=["new"])
    EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[corrected])).update_trials()
    [row] = tables.read("trials")
    assert (row["aspirational_ms"], row["holdout"], row["tags"]) == (10.0, True, ["new"])
    assert (row["virtue_weights"]["wisdom"], row["virtue_weights"]["justice"]) == (2.0, 1.0)
    assert row["job_hash"] == corrected.question_hash() != before[0]["job_hash"]
    assert row["started_at"] == before[0]["started_at"]
    EvaluationJudging(workplace, manifest).update_trials()
    assert tables.read("trials") == before


def test_a_correction_is_judged_by_until_another_or_none_is_wanted(
    workplace: Workplace, manifest: Manifest, tables: EvaluationTables
) -> None:
    task = {"task": "Talk", "acceptanceCriteria": "Names KD-4711"}
    first, second = chat(tasks=[task]), chat(aspirationalAverage=1.0)
    workplace.redactor.learn(["KD-4711"])
    EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[first])).mark_rejudging()
    [kept] = workplace.evidence.correction(manifest).jobs
    assert kept.tasks[0].acceptance_criteria == "Names [redacted]"

    again = EvaluationJudging(workplace, manifest)
    again.update_trials()
    assert again.correction.jobs == (kept,)
    assert {row["job_hash"] for row in tables.read("trials")} == {first.question_hash()}, "as before it was blanked"
    EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[second])).mark_rejudging()
    assert [job.aspirational_average for job in workplace.evidence.correction(manifest).jobs] == [1.0]

    EvaluationJudging(workplace, manifest, JudgingRequest(original=True)).mark_rejudging()
    assert workplace.evidence.correction(manifest).jobs == ()
    EvaluationJudging(workplace, manifest).update_trials()
    assert {row["job_hash"] for row in tables.read("trials")} == {chat().question_hash()}


def test_a_job_is_not_edited_by_what_a_release_said_of_its_conversations(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    held = chat(target={"user": "u", "chatbot": "marcus", "protocol": "openai"})
    judging = EvaluationJudging(workplace, make_manifest(jobs=(held,)))
    assert judging.edited_jobs([chat()]) == []
    assert judging.edited_jobs([chat(greetings=["Salve"])]) == ["chat"]


def test_a_correction_that_corrects_nothing_is_none(workplace: Workplace, manifest: Manifest) -> None:
    EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[chat()])).mark_rejudging()
    assert [file.name for file in workplace.evidence.root.rglob("*.json")] == []


def test_an_expression_that_an_earlier_release_took_is_still_judged_by(
    workplace: Workplace, manifest: Manifest
) -> None:
    slip = chat(assertions=[{"expression": "evaluation.functionCalls.size"}])
    with pytest.raises(ConfigurationError, match=r"job chat: assertions\[0\]\.expression: what must be true or false"):
        EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[slip]))
    workplace.evidence.correct(manifest, Correction(jobs=(slip,), job_hashes={"chat": slip.question_hash()}))
    assert EvaluationJudging(workplace, manifest).correction.jobs == (slip,)


def test_the_way_back_to_the_jobs_of_the_conversations_needs_nothing_of_a_damaged_correction(
    workplace: Workplace, manifest: Manifest
) -> None:
    EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[chat(holdout=True)])).mark_rejudging()
    [file] = workplace.evidence.root.rglob("corrected.json")
    file.write_text("{bad")
    EvaluationJudging(workplace, manifest, JudgingRequest(original=True)).mark_rejudging()
    assert workplace.evidence.correction(manifest).jobs == ()


def test_an_evaluation_that_is_judged_by_a_correction_is_not_finished_though_it_never_was(
    workplace: Workplace, manifest: Manifest, tables: EvaluationTables
) -> None:
    tables.write_head("conversed", planned_trials=1)
    EvaluationJudging(workplace, manifest).mark_rejudging()
    assert tables.read("evaluations")[0]["status"] == "conversed"
    EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[chat(holdout=True)])).mark_rejudging()
    assert tables.read("evaluations")[0]["status"] == REGRADING


def test_jobs_that_read_otherwise_by_now_are_known(workplace: Workplace, manifest: Manifest) -> None:
    edited, elsewhere = chat(prompts={"tasks": "Judge."}), chat(name="other")
    moved = chat(target={"user": "u", "chatbot": "marcus", "url": "http://elsewhere", "timeoutSeconds": 3})
    assert EvaluationJudging(workplace, manifest).edited_jobs([edited, elsewhere]) == ["chat"]
    assert EvaluationJudging(workplace, manifest).edited_jobs([moved]) == []
    assert EvaluationJudging(workplace, manifest, JudgingRequest(corrected=[edited])).edited_jobs([edited]) == []


def test_without_a_correction_nothing_is_written(
    workplace: Workplace, manifest: Manifest, tables: EvaluationTables
) -> None:
    key = ("trials", manifest.agent_version, manifest.evaluation_id)
    before = workplace.warehouse.file(*key)
    EvaluationJudging(workplace, manifest).update_trials()
    assert workplace.warehouse.file(*key) == before


def test_judges_see_no_secret_that_redact_has_learned_since(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = {"task": "Talk", "acceptanceCriteria": "It knows KD-4711"}
    query = {"cypher": "RETURN $x", "expected": "KD-4711"}
    told = chat(facts=["The number is KD-4711"], tasks=[task], assertions=[query])
    manifest = make_manifest(jobs=(told,))
    observed = {"trial_id": "t1", "assertion": "1", "kind": "cypher", "text": "RETURN $x", "parameters": "{}",
                "result": '[{"x": "KD-4711"}]', "error": None}  # fmt: skip
    found = conversed(workplace, manifest, [observed])

    judge = ScriptedModel(by=lambda _: "no verdict")
    monkeypatch.setattr(Workplace, "model", lambda *_: judge)
    before = found.read("trials")
    workplace.redactor.learn(["KD-4711"])
    request = JudgingRequest(corrected=[told.model_copy(update={"holdout": True})])
    judging = EvaluationJudging(workplace, manifest, request)
    asyncio.run(judging.verdicts())
    assert "It knows [redacted]" in json.dumps([list(request.messages) for request in judge.requests])
    assert "KD-4711" not in json.dumps([[list(request.messages), request.brief] for request in judge.requests])
    assert [(row["actual"], row["passed"]) for row in judging.assertions()] == [('"[redacted]"', True)]
    EvaluationJudging(workplace, manifest).update_trials()
    assert found.read("trials") == before
