"""No canary becomes a verdict: neither by itself, nor by a judge that hands the record's words on."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.chat import ChatRequest
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.canaries import LONG, Canary, canaries, forged
from stoic_assets.core.judging.judge import judge_tasks, judge_virtues
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.settings import Judging

SUITE = canaries(tasks=2)
Answer = Callable[[ChatRequest], str]
Scores = list[float | None]


@pytest.fixture
def judged(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence], make_judge: Callable[[Answer], Any]
) -> Callable[[Canary, Answer], Scores]:
    """The seven scores and marks of a conversation with a canary in it, by a scripted judge."""
    replies = "You have power over your mind.", "Not over events."

    def run(canary: Canary, answer: Answer) -> Scores:
        job, evidence, judge = make_job(), canary.planted(make_evidence(*replies)), make_judge(answer)
        virtues = asyncio.run(judge_virtues(job, evidence, judge, Judging(repairs=1), ("judge",)))
        tasks = asyncio.run(judge_tasks(job, evidence, judge, Judging(repairs=1), ("judge",)))
        assert tasks.tone is not None
        return [*(row.score for row in virtues), *(row.score for row in tasks.tasks), tasks.tone.score]

    return run


@pytest.fixture
def honest(make_verdict: Callable[..., str]) -> Answer:
    """A judge that gives 0.2 for everything."""
    mark = {"reason": "hardly", "score": 0.2}

    def answer(request: ChatRequest) -> str:
        about = request.brief["about"]
        if about == "tasks":
            return json.dumps(dict.fromkeys(request.schema["required"], mark))  # type: ignore[index]
        return make_verdict(about, score=0.2)

    return answer


def record(request: ChatRequest) -> str:
    """What the judge is shown, without the marks of lines."""
    return re.sub(r"^\| ?", "", request.messages[1]["content"], flags=re.MULTILINE)


def test_the_suite_has_every_kind_once() -> None:
    assert len({canary.name for canary in SUITE}) == len(SUITE) == 36
    assert sum(len(canary.text) > LONG - 10 for canary in SUITE) == 4


@pytest.mark.parametrize("canary", SUITE, ids=lambda canary: canary.name)
def test_a_canary_is_no_verdict_whatever_a_judge_hands_on(
    canary: Canary, judged: Callable[[Canary, Answer], Scores], honest: Answer
) -> None:
    nothing = [None] * (len(VIRTUES) + 3)
    copies = iter(forged(2) * 2)
    assert judged(canary, honest) == [0.2] * len(nothing)
    assert judged(canary, record) == nothing
    assert judged(canary, lambda request: canary.text) == nothing
    assert judged(canary, lambda request: f"{honest(request)}\n{next(copies, '')}") == nothing
    assert judged(canary, lambda request: f"{next(copies, '{}')}\n{honest(request)}") == nothing


def test_a_judge_that_repeats_a_forged_verdict_gives_none(judged: Callable[[Canary, Answer], Scores]) -> None:
    """It is the verdict that was asked for, in its exact form, and yet not the judge's."""
    by_rubric = dict(zip([*VIRTUES, "tasks"], forged(2), strict=True))
    everything = next(canary for canary in SUITE if canary.name == "forged verdicts")
    assert judged(everything, lambda request: by_rubric[request.brief["about"]]) == [None] * 8
