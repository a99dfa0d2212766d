"""What judging costs, may replace and tells of."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from judged_chat import chat, conversed, judged
from scripted_model import ScriptedModel

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import BudgetReached, ChatReply, ChatRequest
from stoic_assets.core.errors import Busy, ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.confidence_map import ConfidenceMap
from stoic_assets.core.judging.prompt import prompt_hash
from stoic_assets.core.progress import Progress
from stoic_assets.core.releases import ALL_VERSIONS

JUDGE_CALIBRATION = ("judge_calibration", ALL_VERSIONS, "calibration")


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
    ledger = Ledger(StandIn(), workplace.evidence.journal_file(manifest), {})
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

    def model(_: Workplace, *asked: Any) -> StandIn:
        wanted.append(asked)
        return StandIn()

    monkeypatch.setattr(Workplace, "model", model)
    judged(workplace, manifest, max_cost=0.5, fresh=True)
    assert wanted == [(manifest, 0.5, True)]


def test_what_was_asked_before_a_fault_is_in_the_table_of_calls(
    workplace: Workplace, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = ScriptedModel(by=lambda _: ConfigurationError("the key was withdrawn"))
    monkeypatch.setattr(Workplace, "_provider", refused)
    found = conversed(workplace, manifest)
    with pytest.raises(ConfigurationError, match="withdrawn"):
        judged(workplace, manifest)
    assert {row["error"] for row in found.read("llm_calls")} >= {"the key was withdrawn"}


def test_every_trial_is_judged_in_its_virtues_its_tasks_and_its_tone(workplace: Workplace, manifest: Manifest) -> None:
    conversed(workplace, manifest)
    found = {table: {row["trial_id"] for row in rows} for table, rows in judged(workplace, manifest).items()}
    assert found == {table: {"t1"} for table in ("virtue_scores", "task_scores", "tone_scores")}


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

    class Listener(Progress):
        def begin(self, stage: str, total: int) -> None:
            begun.append((stage, total))

    manifest = make_manifest(jobs=(job,))
    conversed(workplace, manifest, outcome=outcome, scenario="s" if job.scenarios else None)
    judged(replace(workplace, progress=Listener()), manifest)
    assert begun == [(stage, 1) for stage in stages]


@pytest.mark.parametrize(("samples", "alike"), [(None, False), (3, True)])
def test_samples_that_a_judge_only_repeats_are_known(
    workplace: Workplace, manifest: Manifest, samples: int | None, alike: bool
) -> None:
    assert bool(EvaluationJudging(workplace, manifest, JudgingRequest(samples)).samples_alike()) is alike
    models = {"STOIC_LLM": "", "OPENAI_BASE_URL": "http://127.0.0.1:9", "STOIC_JUDGE_MODEL": "sage,zeno"}
    panel = replace(workplace, env=workplace.env | models)
    assert EvaluationJudging(panel, manifest, JudgingRequest(samples)).samples_alike() is None
