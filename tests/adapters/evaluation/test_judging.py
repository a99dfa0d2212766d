"""What judging costs and may replace, and what a corrected job changes in the rows that scores go by."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation.judging import EvaluationJudging, Tables
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.offline_model import OfflineModel
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.chat import BudgetReached, ChatReply, ChatRequest
from stoic_assets.core.conversation.rows import job_columns
from stoic_assets.core.errors import Busy, ConfigurationError
from stoic_assets.core.evaluation import REGRADING, Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.confidence_map import ConfidenceMap
from stoic_assets.core.judging.prompt import prompt_hash
from stoic_assets.core.progress import Unwatched
from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.table_rows import Rows

TRIAL = {
    "trial_id": "t1", "job": "chat", "repeat": 1, "condition": "withheld", "outcome": "signed_off", "failure_count": 0,
    "turns": 2, "started_at": "2026-11-21T00:00:00+00:00",
}  # fmt: skip

JUDGE_CALIBRATION = ("judge_calibration", ALL_VERSIONS, "calibration")


def chat(**changes: Any) -> Job:
    task = {"task": "Talk", "acceptanceCriteria": "Somebody talks"}
    target = {"user": "u", "chatbot": "marcus"}
    return Job.model_validate({"name": "chat", "target": target, "tasks": [task], **changes})


@pytest.fixture
def manifest(make_manifest: Callable[..., Manifest]) -> Manifest:
    return make_manifest(jobs=(chat(),))


@pytest.fixture
def tables(workplace: Workplace, manifest: Manifest) -> EvaluationTables:
    found = EvaluationTables(workplace, manifest)
    found.write("trials", [TRIAL | job_columns(chat())])
    return found


def conversed(workplace: Workplace, manifest: Manifest, observed: Rows = (), **trial: Any) -> EvaluationTables:
    """The tables of an evaluation with one trial."""
    found, [job] = EvaluationTables(workplace, manifest), manifest.spec.jobs
    ended = {"user": "u", "session_id": "s", "ended_at": TRIAL["started_at"], "evaluator_model": "m"}
    turns = [{"trial_id": "t1", "turn": n, "speaker": who, "content": "Hi KD-4711", "response_ms": 1.0, "attempts": 1,
              "events": "[]"} for n, who in enumerate(("user", "agent"))]  # fmt: skip
    trials = [TRIAL | ended | job_columns(job) | trial]
    for table, rows in {"trials": trials, "turns": turns, "observations": observed}.items():
        found.write(table, rows)
    return found


def judged(workplace: Workplace, manifest: Manifest, **asked: Any) -> Tables:
    return asyncio.run(EvaluationJudging(workplace, manifest, **asked).verdicts())


def test_verdicts_that_are_stored_give_way_to_none_that_the_ceiling_prevents(
    workplace: Workplace, manifest: Manifest
) -> None:
    found = conversed(workplace, manifest)
    assert judged(workplace, manifest, max_cost=0.0)["virtue_scores"], "there were none before"
    for table, rows in judged(workplace, manifest).items():
        found.write(table, rows)
    with pytest.raises(BudgetReached, match="the earlier ones are kept"):
        judged(workplace, manifest, max_cost=0.0)


@pytest.mark.parametrize(
    ("status", "stated", "now_stated"),
    [
        ("finished", 0.25, 0.75), ("finished", 0.75, 0.75),
        ("finished", None, 0.75),  # it had no price when it was scored
        ("conversed", None, None),  # the row states a cost once it is scored
    ],
)  # fmt: skip
def test_what_a_vain_regrading_cost_is_stated(
    workplace: Workplace, manifest: Manifest, status: str, stated: float | None, now_stated: float | None
) -> None:
    found = conversed(workplace, manifest)
    for table, rows in judged(workplace, manifest).items():
        found.write(table, rows)
    found.write_head(status, planned_trials=1, cost_usd=stated)
    ledger = Ledger(OfflineModel(), workplace.evidence.journal_file(manifest), {})
    ledger.note(ChatRequest("judge", "sage", (), 0.0), ChatReply("", cost_usd=0.75))
    with pytest.raises(BudgetReached):
        judged(workplace, manifest, max_cost=0.0)
    [head] = found.read("evaluations")
    assert (head["status"], head["cost_usd"]) == (status, now_stated)
    assert sum(row["cost_usd"] or 0.0 for row in found.read("llm_calls")) == 0.75


def test_a_model_is_asked_below_the_ceiling_and_afresh_if_that_is_wanted(
    workplace: Workplace, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversed(workplace, manifest)
    wanted = list[tuple[Any, ...]]()

    def model(_: Workplace, *asked: Any) -> OfflineModel:
        wanted.append(asked)
        return OfflineModel()

    monkeypatch.setattr(Workplace, "model", model)
    judged(workplace, manifest, max_cost=0.5, fresh=True)
    assert wanted == [(manifest, 0.5, True)]


def test_what_was_asked_before_a_fault_is_in_the_table_of_calls(
    workplace: Workplace, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Judge:
        async def complete(self, request: ChatRequest) -> ChatReply:
            raise ConfigurationError("the key was withdrawn")

    monkeypatch.setattr(Workplace, "_provider", Judge())
    found = conversed(workplace, manifest)
    with pytest.raises(ConfigurationError, match="withdrawn"):
        judged(workplace, manifest)
    assert {row["error"] for row in found.read("llm_calls")} >= {"the key was withdrawn"}


def test_confidences_are_read_from_the_maps_of_the_calibration(workplace: Workplace, manifest: Manifest) -> None:
    conversed(workplace, manifest)
    known = ConfidenceMap(
        virtue="wisdom", judges=("offline",), signal="self", points=((0.0, 0.25),),
        prompt_hashes=(prompt_hash(chat(), "wisdom"),),
    )  # fmt: skip
    row = {"virtue": "wisdom", "judge_model": "offline", "measure": "map_self", "items": 30, "raters": 3}
    workplace.warehouse.write(*JUDGE_CALIBRATION, [row | {"confidence_map": known.model_dump_json()}])
    sources = {row["virtue"]: row["confidence_source"] for row in judged(workplace, manifest)["virtue_scores"]}
    assert (sources["wisdom"], sources["courage"]) == ("calibrated", "self")


def test_an_evaluation_that_another_process_holds_is_not_judged(workplace: Workplace, manifest: Manifest) -> None:
    conversed(workplace, manifest)
    folder = workplace.evidence.folder(manifest.agent_version, manifest.evaluation_id)
    with locked(folder / "lock"), pytest.raises(Busy):
        judged(workplace, manifest)
    assert not workplace.evidence.has_begun(manifest), "no judge was asked"


def test_a_trial_that_does_not_count_costs_no_verdict(workplace: Workplace, manifest: Manifest) -> None:
    conversed(workplace, manifest, outcome="infra_error")
    assert judged(workplace, manifest) == {"virtue_scores": [], "task_scores": [], "tone_scores": []}
    assert not workplace.evidence.has_begun(manifest), "no judge was asked"


@pytest.mark.parametrize(("outcome", "job", "stages"), [
    ("signed_off", chat(), ["judging virtues", "judging tasks"]),
    ("signed_off", chat(tasks=[], scenarios=[{"id": "s", "category": "calm", "input": "Hm."}]), ["judging virtues"]),
    ("infra_error", chat(), []),
])  # fmt: skip
def test_only_what_is_judged_is_told_of(
    workplace: Workplace, make_manifest: Callable[..., Manifest], outcome: str, job: Job, stages: list[str]
) -> None:
    begun = list[tuple[str, int]]()

    class Listener(Unwatched):
        def begin(self, stage: str, total: int) -> None:
            begun.append((stage, total))

    manifest = make_manifest(jobs=(job,))
    conversed(workplace, manifest, outcome=outcome, scenario="s" if job.scenarios else None)
    judged(replace(workplace, progress=Listener()), manifest)
    assert begun == [(stage, 1) for stage in stages]


def test_a_correction_reaches_the_trials_and_is_taken_back(
    workplace: Workplace, manifest: Manifest, tables: EvaluationTables
) -> None:
    before = tables.read("trials")
    corrected = chat(aspirationalAverage=10, virtues={"wisdom": 2}, holdout=True, tags=["new"])
    EvaluationJudging(workplace, manifest, corrected=[corrected]).update_trials()
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
    EvaluationJudging(workplace, manifest, corrected=[first]).mark_rejudging()
    [kept] = workplace.evidence.correction(manifest).jobs
    assert kept.tasks[0].acceptance_criteria == "Names [redacted]"

    again = EvaluationJudging(workplace, manifest)
    again.update_trials()
    assert again.correction.jobs == (kept,)
    assert {row["job_hash"] for row in tables.read("trials")} == {first.question_hash()}, "as before it was blanked"
    EvaluationJudging(workplace, manifest, corrected=[second]).mark_rejudging()
    assert [job.aspirational_average for job in workplace.evidence.correction(manifest).jobs] == [1.0]

    EvaluationJudging(workplace, manifest, original=True).mark_rejudging()
    assert workplace.evidence.correction(manifest).jobs == ()
    EvaluationJudging(workplace, manifest).update_trials()
    assert {row["job_hash"] for row in tables.read("trials")} == {chat().question_hash()}


def test_a_correction_that_corrects_nothing_is_none(workplace: Workplace, manifest: Manifest) -> None:
    EvaluationJudging(workplace, manifest, corrected=[chat()]).mark_rejudging()
    assert [file.name for file in workplace.evidence.root.rglob("*.json")] == []


def test_the_way_back_to_the_jobs_of_the_conversations_needs_nothing_of_a_damaged_correction(
    workplace: Workplace, manifest: Manifest
) -> None:
    EvaluationJudging(workplace, manifest, corrected=[chat(holdout=True)]).mark_rejudging()
    [file] = workplace.evidence.root.rglob("corrected.json")
    file.write_text("{bad")
    EvaluationJudging(workplace, manifest, original=True).mark_rejudging()
    assert workplace.evidence.correction(manifest).jobs == ()


def test_an_evaluation_that_is_judged_by_a_correction_is_not_finished_though_it_never_was(
    workplace: Workplace, manifest: Manifest, tables: EvaluationTables
) -> None:
    tables.write_head("conversed", planned_trials=1)
    EvaluationJudging(workplace, manifest).mark_rejudging()
    assert tables.read("evaluations")[0]["status"] == "conversed"
    EvaluationJudging(workplace, manifest, corrected=[chat(holdout=True)]).mark_rejudging()
    assert tables.read("evaluations")[0]["status"] == REGRADING


def test_jobs_that_read_otherwise_by_now_are_known(workplace: Workplace, manifest: Manifest) -> None:
    edited, elsewhere = chat(prompts={"tasks": "Judge."}), chat(name="other")
    moved = chat(target={"user": "u", "chatbot": "marcus", "url": "http://elsewhere", "timeoutSeconds": 3})
    assert EvaluationJudging(workplace, manifest).edited_jobs([edited, elsewhere]) == ["chat"]
    assert EvaluationJudging(workplace, manifest).edited_jobs([moved]) == []
    assert EvaluationJudging(workplace, manifest, corrected=[edited]).edited_jobs([edited]) == []


@pytest.mark.parametrize(("samples", "alike"), [(None, False), (3, True)])
def test_samples_that_a_judge_only_repeats_are_known(
    workplace: Workplace, manifest: Manifest, samples: int | None, alike: bool
) -> None:
    assert bool(EvaluationJudging(workplace, manifest, samples).samples_alike()) is alike
    models = {"STOIC_LLM": "", "OPENAI_BASE_URL": "http://127.0.0.1:9", "STOIC_JUDGE_MODEL": "sage,zeno"}
    panel = replace(workplace, env=workplace.env | models)
    assert EvaluationJudging(panel, manifest, samples).samples_alike() is None


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
    query, seen = {"cypher": "RETURN $x", "expected": "KD-4711"}, list[ChatRequest]()
    told = chat(facts=["The number is KD-4711"], tasks=[task], assertions=[query])
    manifest = make_manifest(jobs=(told,))
    observed = {"trial_id": "t1", "assertion": "1", "kind": "cypher", "text": "RETURN $x", "parameters": "{}",
                "result": '[{"x": "KD-4711"}]', "error": None}  # fmt: skip
    found = conversed(workplace, manifest, [observed])

    class Judge:
        async def complete(self, request: ChatRequest) -> ChatReply:
            seen.append(request)
            return ChatReply("no verdict")

    monkeypatch.setattr(Workplace, "model", lambda *_: Judge())
    before = found.read("trials")
    workplace.redactor.learn(["KD-4711"])
    judging = EvaluationJudging(workplace, manifest, corrected=[told.model_copy(update={"holdout": True})])
    asyncio.run(judging.verdicts())
    assert "It knows [redacted]" in json.dumps([list(request.messages) for request in seen])
    assert "KD-4711" not in json.dumps([[list(request.messages), request.brief] for request in seen])
    assert [(row["actual"], row["passed"]) for row in judging.assertions()] == [('"[redacted]"', True)]
    EvaluationJudging(workplace, manifest).update_trials()
    assert found.read("trials") == before
