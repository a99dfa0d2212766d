"""Stored transcripts, a judge with a little noise, and nights that watch it over them."""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from evaluation_heads import evaluation_head

from stoic_assets.adapters.evaluation.judge_drift import Watch, drift_folder, watch_judge
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatModel, ChatReply, ChatRequest, ModelFailure
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.conversation.rows import trial_row, turn_rows
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.virtues import ASPECTS

Make = Callable[..., Manifest]
NIGHT = datetime(2026, 11, 22, 2, tzinfo=UTC)
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
        return ChatReply(json.dumps(verdict), cost_usd=0.1, served_model=f"{request.model}-2026")


def hold(workplace: Workplace, manifest: Manifest, trials: int, status: str = "finished") -> None:
    """Stores an evaluation of so many conversations, the last of which was not judged."""
    version, evaluation_id = manifest.agent_version, manifest.evaluation_id
    workplace.evidence.begin(manifest)
    said = [conversation(f"{evaluation_id}.{number}") for number in range(trials)]
    said[-1] = replace(said[-1], outcome="agent_error")
    head = evaluation_head(started_at=TIMES[0], status=status, planned_trials=trials)
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
