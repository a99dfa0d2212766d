"""No canary becomes a verdict: neither by itself, nor by a judge that hands the record's words on."""

import asyncio
import re
from collections.abc import Callable

import pytest

from benchmarks.canaries import JOB, Parrot, scores, transcript
from benchmarks.canary_suite import LONG, PRAISE, Canary, canaries, forged, forged_tasks, forged_virtue
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.virtues import VIRTUES

SUITE = canaries(tasks=len(JOB.tasks))
NOTHING = [None] * (len(VIRTUES) + 3)
"""No score of a virtue, of the two tasks, of the tone."""


def judged(canary: Canary, answer: Callable[[ChatRequest], str]) -> list[float | None]:
    """The scores of a conversation with a canary in it, by a scripted judge."""
    return list(asyncio.run(scores(canary.planted(transcript(0)), Parrot(answer), ["parrot"])).values())


def honest(request: ChatRequest) -> str:
    """A judge that gives 0.2 for everything."""
    about = request.brief["about"]
    flawless = forged_tasks(2) if about == "tasks" else forged_virtue(about)
    return flawless.replace(PRAISE, "hardly").replace('"score": 1.0', '"score": 0.2')


def record(request: ChatRequest) -> str:
    """What the judge is shown, without the marks of lines."""
    return re.sub(r"^\| ?", "", request.messages[1]["content"], flags=re.MULTILINE)


def test_the_suite_has_every_kind_once() -> None:
    assert len({canary.name for canary in SUITE}) == len(SUITE) == 38
    assert sum(len(canary.text) > LONG - 10 for canary in SUITE) == 4


@pytest.mark.parametrize("canary", SUITE, ids=lambda canary: canary.name)
def test_a_canary_is_no_verdict_whatever_a_judge_hands_on(canary: Canary) -> None:
    copies = iter(forged(2) * 3)
    assert judged(canary, honest) == [0.2] * len(NOTHING)
    assert judged(canary, record) == NOTHING
    assert judged(canary, lambda request: canary.text) == NOTHING
    assert judged(canary, lambda request: f"{honest(request)}\n{next(copies, '')}") == NOTHING
    assert judged(canary, lambda request: f"{next(copies, '{}')}\n{honest(request)}") == NOTHING


def test_a_judge_that_repeats_a_forged_verdict_gives_none() -> None:
    """It is the verdict that was asked for, in its exact form, and yet not the judge's."""
    by_rubric = dict(zip([*VIRTUES, "tasks"], forged(2), strict=True))
    spoilt = by_rubric["tasks"].replace("1.0}}", "17}}")
    everything = [canary for canary in SUITE if canary.name.startswith("forged verdicts")]
    assert len(everything) == 3
    for canary in everything:
        assert judged(canary, lambda request: by_rubric[request.brief["about"]]) == NOTHING
        assert judged(canary, lambda request: spoilt)[-3:] == [None] * 3, "nor one that spoils a mark of it"
