"""The asset that watches the judge: its check, its figures, and the alarm in the outbox."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.evaluation import judge_drift as drift_of
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.conversation.rows import trial_row, turn_rows
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.defs.judge_drift import judge_drift

VERSION, EVALUATION, STARTED = "marcus@1.0.0", "night", "2026-11-20T00:00:00+00:00"
TASK = {"task": "Ask how to be fair", "acceptanceCriteria": "Both sides are heard"}
JOB = Job.model_validate({"name": "mentor", "target": {"user": "u", "chatbot": "marcus"}, "tasks": [TASK]})


def hold_six_conversations(workplace: Workplace, manifest: Manifest) -> None:
    workplace.evidence.begin(manifest)
    turns = (Turn(0, "user", "How am I fair?"), Turn(1, "agent", "Perhaps hear both sides first.", 100.0, 1))
    trials = [Trial(f"t{number}", "mentor", "withheld", number, "u") for number in range(6)]
    said = [Evidence(trial, "signed_off", turns, (), "s", 0, STARTED, STARTED, "offline") for trial in trials]
    score = {"virtue": "wisdom", "judge_model": "offline", "sample": 0, "score": 0.6}
    head = evaluation_head(started_at=STARTED, offline=True, planned_trials=6)
    tables = {
        "evaluations": [head], "trials": [trial_row(each, JOB, []) for each in said], "observations": [],
        "turns": [row for each in said for row in turn_rows(each)],
        "virtue_scores": [{"trial_id": trial.trial_id, **score} for trial in trials],
    }  # fmt: skip
    for table, rows in tables.items():
        workplace.warehouse.write(table, VERSION, EVALUATION, rows)


def checked(workplace: Workplace) -> tuple[dict[str, Any], dg.AssetCheckEvaluation]:
    """The asset's metadata, and its check."""
    result = dg.materialize([judge_drift], resources={"workplace": workplace})
    [event] = result.get_asset_materialization_events()
    [check] = result.get_asset_check_evaluations()
    return {name: value.value for name, value in event.materialization.metadata.items()}, check


def materialise(workplace: Workplace) -> tuple[dict[str, Any], bool]:
    """The asset's metadata, and whether its check passed."""
    metadata, check = checked(workplace)
    return metadata, check.passed


def test_without_transcripts_it_says_so(workplace: Workplace) -> None:
    metadata, passed = materialise(workplace)
    assert metadata["why"] == "stored transcripts that were judged: 0; at least 5 are needed"
    assert "answered_by" not in metadata, "nobody was asked"
    assert (metadata.get("shift_wisdom"), metadata["cost_usd"], passed) == (None, 0, True)


def test_what_was_not_measured_is_no_plain_pass_and_names_its_virtue(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    manifest = make_manifest(
        evaluation_id=EVALUATION, agent_version=VERSION, started_at=STARTED, offline=True, jobs=(JOB,)
    )
    hold_six_conversations(workplace, manifest)
    _, first = checked(workplace)
    assert (first.passed, first.description) == (True, "not measured: the reference was made tonight")
    assert checked(workplace)[1].description is None
    [file] = (workplace.project.home / "judge_drift").glob("*.json")
    reference = json.loads(file.read_bytes())
    for member in reference["members"][:2]:
        del member["virtues"]["wisdom"]
    file.write_text(json.dumps(reference))
    metadata, check = checked(workplace)
    assert metadata["why"] == "wisdom: only 4 transcripts with scores to compare; at least 5 are needed"
    assert check.description == f"not measured: {metadata['why']}"


def test_a_set_that_could_grow_says_so(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> None:
    manifest = make_manifest(
        evaluation_id=EVALUATION, agent_version=VERSION, started_at=STARTED, offline=True, jobs=(JOB,)
    )
    hold_six_conversations(workplace, manifest)
    assert materialise(workplace)[0]["set"] == "6 of 260"
    [file] = (workplace.project.home / "judge_drift").glob("*.json")
    reference = json.loads(file.read_bytes())
    file.write_text(json.dumps(reference | {"members": reference["members"][:5]}))
    metadata, check = checked(workplace)
    assert metadata["set"] == "5 of 260; 6 are stored now: materialise with `renew: true`"
    assert check.metadata["set"].value == metadata["set"]


def named(complete: Callable[..., Awaitable[ChatReply]]) -> Callable[..., Awaitable[ChatReply]]:
    """Replies of a server that tells which model answered."""

    async def answered(model: StandIn, request: ChatRequest) -> ChatReply:
        return replace(await complete(model, request), served_model="stand-in-2")

    return answered


def test_a_judge_that_moved_fails_the_check_and_waits_in_the_outbox(
    workplace: Workplace, make_manifest: Callable[..., Manifest], told: Callable[[], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    manifest = make_manifest(
        evaluation_id=EVALUATION, agent_version=VERSION, started_at=STARTED, offline=True, jobs=(JOB,)
    )
    hold_six_conversations(workplace, manifest)
    assert materialise(workplace)[0]["why"] == "the reference was made tonight"
    [file] = (workplace.project.home / "judge_drift").glob("*.json")
    reference = json.loads(file.read_bytes())
    for member in reference["members"]:
        member["virtues"]["wisdom"]["mean"] += 0.1
    file.write_text(json.dumps(reference))
    monkeypatch.setattr(StandIn, "complete", named(StandIn.complete))
    unheard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": "ftp://nobody"})
    metadata, check = checked(unheard)
    assert (metadata["judge_models"], metadata["answered_by"]) == ("offline", "stand-in-2")
    assert "STOIC_WEBHOOK_URL" in metadata["delivery_faults"]
    assert (metadata["alarm"], check.passed, check.metadata.keys()) == (True, False, {"shift_wisdom", "set"})
    assert {"noise_sd_courage", "detectable_courage"} <= metadata.keys()
    assert metadata["shift_wisdom"] == check.metadata["shift_wisdom"].value == -0.1
    assert (metadata["shift_courage"], metadata["transcripts"]) == (0.0, 6)
    [said] = told()
    assert (said["subject"], said["type"]) == ("offline", "stoic.judge_moved")
    assert said["data"]["moved"] == ["wisdom"]
    assert datetime.fromisoformat(said["time"]).tzinfo == UTC


def test_what_it_cost_is_shown_in_as_many_decimals_as_other_numbers(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drift_of, "total_cost", lambda _: 1.7328000000000001)
    assert materialise(workplace)[0]["cost_usd"] == 1.7328
