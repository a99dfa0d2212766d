"""Nights over stored transcripts: a reference is made, held against, taken up, renewed, and thinned by deletion."""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.evaluation.delivery import announce
from stoic_assets.adapters.evaluation.judge_drift import Watch, drift_folder, judge_moved, watch_judge
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.offline_model import OfflineModel
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.chat import ChatModel, ChatReply, ChatRequest, ModelFailure
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.conversation.rows import trial_row, turn_rows
from stoic_assets.core.errors import ConfigurationError, InfrastructureError
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.virtues import ASPECTS, VIRTUES

Make = Callable[..., Manifest]
NIGHT = datetime(2026, 11, 22, 2, tzinfo=UTC)
SETTINGS = "drift: {transcripts: 8, reference_judgings: 2}"
TIMES = ("2026-11-20T00:00:00+00:00", "2026-11-20T00:01:00+00:00")
JOB = Job.model_validate(
    {
        "name": "mentor", "target": {"user": "u", "chatbot": "marcus"},
        "tasks": [{"task": "Ask how to be fair", "acceptanceCriteria": "Both sides are heard"}],
    }
)  # fmt: skip


class NoisyJudge:
    """Gives `level` with a little noise, ten US cents a call; fails where `fails` says so."""

    def __init__(self, level: float, fails: Callable[[int], bool] = lambda number: False) -> None:
        self.level, self.fails, self.requests = level, fails, list[ChatRequest]()
        self._random = random.Random(7)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        if self.fails(len(self.requests)):
            raise ModelFailure("the server is gone")
        mark = {"example": "", "assessment": "fair", "score": 0.5}
        verdict = {
            "supporting_examples": [], "aspects": dict.fromkeys(ASPECTS[request.brief["about"]], mark),
            "reasoning": "so", "improvement_suggestions": [], "exercised": True, "confidence": 0.8,
            "score": self.level + self._random.uniform(-0.02, 0.02),
        }  # fmt: skip
        return ChatReply(json.dumps(verdict), cost_usd=0.1)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Workplace]:
    """The same home with any environment."""
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "stoic.yml").write_text(SETTINGS)
    return lambda **env: open_workplace({"OPENAI_API_KEY": "k", **env}, start=tmp_path / "eval_jobs")


@pytest.fixture
def workplace(opened: Callable[..., Workplace], make_manifest: Make) -> Workplace:
    """Eight judged trials in two evaluations, and some that must not be chosen."""
    found = opened()
    hold(found, make_manifest(agent_version="marcus@1.0.0", evaluation_id="first", jobs=(JOB,)), 6)
    hold(found, make_manifest(agent_version="marcus@1.1.0", evaluation_id="second", jobs=(JOB,)), 4)
    unfinished = make_manifest(agent_version="marcus@1.1.0", evaluation_id="unfinished", jobs=(JOB,))
    hold(found, unfinished, 3, status="incomplete")
    return found


def hold(workplace: Workplace, manifest: Manifest, trials: int, status: str = "finished") -> None:
    """Stores an evaluation of so many conversations, the last of which was not judged."""
    version, evaluation_id = manifest.agent_version, manifest.evaluation_id
    workplace.evidence.begin(manifest)
    said = [conversation(f"{evaluation_id}.{number}") for number in range(trials)]
    said[-1] = replace(said[-1], outcome="agent_error")
    head = {"agent": "marcus", "started_at": TIMES[0], "status": status, "offline": False, "planned_trials": trials}
    verdicts = [
        {"trial_id": each.trial.trial_id, "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": 0.6}
        for each in said[:-1]
    ]
    tables = {
        "evaluations": [head], "trials": [trial_row(each, JOB, []) for each in said], "observations": [],
        "turns": [row for each in said for row in turn_rows(each)], "virtue_scores": verdicts,
    }  # fmt: skip
    for table, rows in tables.items():
        workplace.warehouse.write(table, version, evaluation_id, rows)


def conversation(trial_id: str) -> Evidence:
    turns = (Turn(0, "user", f"How am I fair? {trial_id}"), Turn(1, "agent", "Hear both sides.", 100.0, 1))
    trial = Trial(trial_id, "mentor", "withheld", 1, "u")
    return Evidence(trial, "signed_off", turns, (), "s", 0, *TIMES, "evaluator")


def watch(workplace: Workplace, judge: ChatModel, night: int = 0, renew: bool = False) -> Watch:
    return asyncio.run(watch_judge(workplace, judge, NIGHT + timedelta(days=night), renew))


def references(workplace: Workplace) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(drift_folder(workplace).glob("*.json"))]


def test_the_first_night_makes_the_reference_and_the_next_ones_are_held_against_it(workplace: Workplace) -> None:
    judge = NoisyJudge(0.7)
    first = watch(workplace, judge)
    assert {drift.why for drift in first.measurement.drifts} == {"the reference was made tonight"}
    assert len(judge.requests) == 2 * 8 * 5
    assert first.cost_usd == pytest.approx(8.0)
    [kept] = references(workplace)
    assert {each["trial_id"] for each in kept["members"]} == {f"first.{n}" for n in range(5)} | {
        f"second.{n}" for n in range(3)
    }
    assert kept["members"][0]["virtues"]["justice"]["judgings"] == 2

    second = watch(workplace, judge, 1)
    assert len(judge.requests) == 3 * 8 * 5
    assert not (workplace.project.home / "cache").exists()
    assert second.event is None
    rows = workplace.warehouse.read("judge_drift", ALL_VERSIONS, "drift-20261123T020000")
    assert [row["virtue"] for row in rows] == list(VIRTUES)
    for row in rows:
        assert (row["reference_id"], row["judge_models"]) == (kept["reference_id"], ["gpt-4.1-mini"])
        assert (row["transcripts"], row["alarm"], row["why"]) == (8, False, None)
        assert row["low"] < row["shift"] < row["high"]
        assert abs(row["shift"]) < 0.02 < row["detectable"]
        assert row["evaluated_at"] == NIGHT + timedelta(days=1)
    assert len(workplace.warehouse.query("select * from judge_drift")) == 10
    assert len(workplace.warehouse.read("llm_calls", ALL_VERSIONS, second.evaluation_id)) == 40


def test_a_judge_that_moved_raises_the_alarm_announces_it_and_excuses_the_agent(workplace: Workplace) -> None:
    for night, level in enumerate((0.7, 0.7, 0.5)):
        found = watch(workplace, NoisyJudge(level), night)
    assert all(drift.alarm and drift.shift == pytest.approx(-0.2, abs=0.02) for drift in found.measurement.drifts)
    assert found.event is not None
    assert announce(workplace, [found.event]).pending == 1
    said = judge_moved(workplace, NIGHT + timedelta(days=1, hours=1), NIGHT + timedelta(days=2, hours=1))
    assert said is not None
    assert said.startswith("the judge itself changed between the two evaluations: wisdom −0.")
    assert said.endswith("(judge_drift of 2026-11-24)")
    assert judge_moved(workplace, NIGHT, NIGHT + timedelta(days=1, hours=1)) is None
    moments = NIGHT + timedelta(days=1), NIGHT + timedelta(days=2)
    assert judge_moved(workplace, *moments, judges={"gpt-4.1-mini"}) is not None
    assert judge_moved(workplace, *moments, judges={"offline"}) is None
    assert judge_moved(workplace, *moments, judges={"gpt-4.1-mini", "offline"}) is None, "that is another panel"


def test_a_trial_without_a_score_is_not_chosen(workplace: Workplace) -> None:
    place = ("virtue_scores", "marcus@1.1.0", "second")
    rows = workplace.warehouse.read(*place)
    workplace.warehouse.write(*place, [{**row, "score": None} for row in rows[:1]] + rows[1:])
    assert watch(workplace, NoisyJudge(0.7)).transcripts == 7


def test_an_interrupted_making_is_taken_up_after_its_last_whole_round(workplace: Workplace) -> None:
    with pytest.raises(InfrastructureError, match=r"40 of 40 verdicts were not given.*the server is gone"):
        watch(workplace, NoisyJudge(0.7, fails=lambda number: number > 40))
    assert references(workplace)[0]["rounds"] == 1
    paid = workplace.warehouse.read("llm_calls", ALL_VERSIONS, "drift-20261122T020000")
    assert len(paid) == 80
    judge = NoisyJudge(0.7)
    assert watch(workplace, judge, 1).measurement.drifts[0].why == "the reference was made tonight"
    assert len(judge.requests) == 40
    assert [each["rounds"] for each in references(workplace)] == [2]


def test_what_a_killed_night_paid_is_in_the_table_after_the_next_one(workplace: Workplace) -> None:
    killed = "drift-20261121T020000"
    ledger = Ledger(OfflineModel(), drift_folder(workplace) / "calls" / f"{killed}.jsonl", {})
    ledger.note(ChatRequest("judge", "gpt", (), 0.0), ChatReply("", cost_usd=0.75))
    for night in (0, 1):
        watch(workplace, NoisyJudge(0.6), night)
        [call] = workplace.warehouse.read("llm_calls", ALL_VERSIONS, killed)
        assert call["cost_usd"] == 0.75
    killed_later = Ledger(OfflineModel(), drift_folder(workplace) / "calls" / "drift-20261124T020000.jsonl", {})
    killed_later.note(ChatRequest("judge", "gpt", (), 0.0), ChatReply("", cost_usd=0.25))
    watch(workplace, NoisyJudge(0.6), 3)
    assert len(workplace.warehouse.read("llm_calls", ALL_VERSIONS, "drift-20261124T020000")) == 1


def test_a_damaged_ledger_of_a_killed_night_ends_no_other_night(
    workplace: Workplace, caplog: pytest.LogCaptureFixture
) -> None:
    damaged = drift_folder(workplace) / "calls" / "drift-20261121T020000.jsonl"
    damaged.parent.mkdir(parents=True)
    damaged.write_text('{"call": no JSON}\n')
    watch(workplace, NoisyJudge(0.6), 0)
    assert f"calls of a night before left out: {damaged}" in caplog.text


def test_the_judge_sees_no_secret_that_redact_has_learned_since(
    opened: Callable[..., Workplace], make_manifest: Make
) -> None:
    workplace, own = opened(), JOB.model_copy(update={"prompts": {"wisdom": "Judge, and never say KD-4711."}})
    hold(workplace, make_manifest(jobs=(own,)), 9)
    workplace.redactor.learn(["KD-4711", "Hear both sides"])
    judge = NoisyJudge(0.7)
    watch(workplace, judge)
    asked = json.dumps([list(request.messages) for request in judge.requests])
    assert "never say [redacted]" in asked
    assert "| [redacted]." in asked
    assert "KD-4711" not in asked
    assert "Hear both sides" not in asked


def test_a_few_verdicts_that_fail_are_left_out(workplace: Workplace) -> None:
    watch(workplace, NoisyJudge(0.7))
    found = watch(workplace, NoisyJudge(0.7, fails=lambda number: number <= 4), 1)  # a tenth
    assert sorted(drift.transcripts for drift in found.measurement.drifts) == [7, 7, 7, 7, 8]


def test_each_transcript_is_judged_once_however_many_samples_an_evaluation_takes(workplace: Workplace) -> None:
    judging = workplace.settings.judging.model_copy(update={"samples": 3})
    judge = NoisyJudge(0.7)
    watch(replace(workplace, settings=workplace.settings.model_copy(update={"judging": judging})), judge)
    assert len(judge.requests) == 2 * 8 * 5


def test_what_was_deleted_leaves_the_set(workplace: Workplace, make_manifest: Make) -> None:
    watch(workplace, NoisyJudge(0.7))
    workplace.warehouse.delete("marcus@1.1.0")
    workplace.evidence.delete("marcus@1.1.0")
    judge = NoisyJudge(0.7)
    thinned = watch(workplace, judge, 1)
    assert {thinned.transcripts, *(drift.transcripts for drift in thinned.measurement.drifts)} == {5}
    assert len(judge.requests) == 25
    workplace.warehouse.delete("marcus@1.0.0")
    left = watch(workplace, judge, 2)
    assert left.measurement.drifts[0].why == "stored transcripts that were judged: 0; at least 5 are needed"
    assert len(judge.requests) == 25
    hold(workplace, make_manifest(agent_version="marcus@1.2.0", evaluation_id="third", jobs=(JOB,)), 8)
    again = watch(workplace, judge, 3)
    assert again.measurement.drifts[0].why == "the reference was made tonight"
    assert again.measurement.drifts[0].transcripts == 7


def test_trials_whose_evidence_is_gone_enter_no_set(workplace: Workplace) -> None:
    workplace.evidence.delete("marcus@1.1.0")
    judge = NoisyJudge(0.7)
    assert watch(workplace, judge).transcripts == 5
    assert len(judge.requests) == 2 * 5 * 5


def test_another_judge_and_a_renewal_get_references_of_their_own(
    workplace: Workplace, opened: Callable[..., Workplace]
) -> None:
    first = watch(workplace, NoisyJudge(0.7))
    panel = opened(STOIC_JUDGE_MODEL="a,b")
    judge = NoisyJudge(0.6)
    other = watch(panel, judge, 1)
    assert len(judge.requests) == 2 * 2 * 8 * 5
    renewed = watch(workplace, NoisyJudge(0.5), 2, renew=True)
    assert len({night.measurement.reference_id for night in (first, other, renewed)}) == 3
    after = watch(workplace, NoisyJudge(0.5), 3)
    assert after.measurement.reference_id == renewed.measurement.reference_id
    assert not after.measurement.alarms
    assert watch(panel, NoisyJudge(0.6), 4).measurement.reference_id == other.measurement.reference_id


def test_a_judge_is_another_at_another_address_but_not_with_a_slash_behind_it(
    workplace: Workplace, opened: Callable[..., Workplace]
) -> None:
    addresses = ("http://court/v1", "http://court/v1/", "http://elsewhere/v1")
    watches = [watch(opened(STOIC_JUDGE_BASE_URL=at), NoisyJudge(0.7), night) for night, at in enumerate(addresses)]
    first, same, other = [each.measurement.reference_id for each in watches]
    assert first == same != other


def test_offline_the_judge_never_moves(workplace: Workplace, opened: Callable[..., Workplace]) -> None:
    offline = opened(STOIC_LLM="offline")
    watch(offline, OfflineModel())
    found = watch(offline, OfflineModel(), 1)
    assert found.measurement.judge_models == ("offline",)
    exercised = [drift for drift in found.measurement.drifts if drift.transcripts]
    assert exercised
    assert {(drift.shift, drift.p, drift.alarm) for drift in exercised} == {(0.0, 1.0, False)}
    assert found.cost_usd == 0


def test_one_watch_at_a_time(workplace: Workplace) -> None:
    class SecondWatch(NoisyJudge):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await watch_judge(workplace, NoisyJudge(0.7), NIGHT)
            raise AssertionError

    with pytest.raises(ConfigurationError, match="watched by another process"):
        watch(workplace, SecondWatch(0.7))


def test_a_damaged_reference_is_named(workplace: Workplace) -> None:
    watch(workplace, NoisyJudge(0.7))
    [file] = drift_folder(workplace).glob("*.json")
    file.write_text("{")
    with pytest.raises(ConfigurationError, match=r"\.json is damaged or cannot be read; remove it"):
        watch(workplace, NoisyJudge(0.7), 1)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigurationError, match=r"\.json is damaged or cannot be read; remove it"):
        watch(workplace, NoisyJudge(0.7), 1)
