"""A job, the evidence of a conversation, a judge that answers by script, and what it makes of that conversation."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from scripted_model import ScriptedModel

from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.configuration.settings import Judging
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.judging.judge import judge_tasks, judge_virtues
from stoic_assets.core.judging.scores import TaskScores, VirtueScore
from stoic_assets.core.virtues import ASPECTS, Virtue

Answer = Callable[[ChatRequest], str]
REMIND = {"request": {"function": {"name": "create_reminder"}, "arguments": {"title": "call\nmother"}, "context": ""}}


@pytest.fixture
def make_job() -> Callable[..., Job]:
    """A job of two tasks; keys of the job file as keyword arguments."""

    def make(**keys: Any) -> Job:
        tasks = [
            {
                "task": "Ask to be reminded tomorrow at 9", "acceptanceCriteria": "A reminder for 9 is confirmed",
                "difficulty": "treacherous", "requirements": {"length": "one line"}, "context": "a tired nurse",
            },
            {
                "type": "question", "task": "Ask how to be fair to a colleague",
                "acceptanceCriteria": "Both sides are heard",
            },
        ]
        default = {"name": "mentor", "target": {"user": "u", "chatbot": "c"}, "facts": ["The user lives in Sydney"]}
        return Job.model_validate({**default, **({} if "scenarios" in keys else {"tasks": tasks}), **keys})

    return make


@pytest.fixture
def make_evidence() -> Callable[..., Evidence]:
    """A conversation in which the agent says the given replies, the first after a call to `create_reminder`."""

    def make(
        *replies: str, outcome: Any = "signed_off", scenario: str | None = None, events: Sequence[Any] = (REMIND,)
    ) -> Evidence:
        turns = []
        for reply in replies:
            turns.append(Turn(len(turns), "user", "Hello there"))
            turns.append(Turn(len(turns), "agent", reply, 100.0, 1, () if len(turns) > 1 else tuple(events)))
        trial = Trial("trial-1", "mentor", "withheld", 0, "u", scenario)
        times = ("2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z")
        return Evidence(trial, outcome, tuple(turns), (), "s", 0, *times, "evaluator")

    return make


@pytest.fixture
def make_verdict() -> Callable[..., str]:
    """The JSON of a virtue verdict; its fields as keyword arguments."""

    def make(virtue: Virtue, **fields: Any) -> str:
        aspects = {key: {"example": "", "assessment": "fair", "score": 0.5} for key in ASPECTS[virtue]}
        verdict = {
            "supporting_examples": [], "aspects": aspects, "reasoning": "so", "improvement_suggestions": ["rest"],
            "exercised": True, "score": 0.5, "confidence": 0.8,
        }
        return json.dumps({**verdict, **fields})

    return make


@pytest.fixture
def virtues(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]
) -> Callable[..., tuple[list[VirtueScore], list[ChatRequest]]]:
    """Judges a short conversation by a scripted judge; gives the rows and the requests."""

    def run(
        answer: Answer, panel: tuple[str, ...] = ("judge",), **settings: Any
    ) -> tuple[list[VirtueScore], list[ChatRequest]]:
        judge = ScriptedModel(by=answer)
        evidence = make_evidence("You have power over your mind.", "Not over events.")
        return asyncio.run(judge_virtues(make_job(), evidence, judge, Judging(**settings), panel)), judge.requests

    return run


@pytest.fixture
def tasks(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]
) -> Callable[..., tuple[TaskScores, list[ChatRequest]]]:
    """As `virtues`, for tasks and tone."""

    def run(
        answer: Answer, panel: tuple[str, ...] = ("judge",), said: str = "Noted.", **keys: Any
    ) -> tuple[TaskScores, list[ChatRequest]]:
        judge = ScriptedModel(by=answer)
        scores = judge_tasks(make_job(**keys), make_evidence(said, scenario="loss"), judge, Judging(), panel)
        return asyncio.run(scores), judge.requests

    return run
