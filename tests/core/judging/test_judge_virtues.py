"""Which verdicts on virtues are asked for, and the rows that they become, also where a judge fails."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from scripted_model import ScriptedModel
from simulated_time import simulated

from stoic_assets.core.calls.chat import BudgetReached, ChatRequest, ModelFailure
from stoic_assets.core.configuration.settings import Judging
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging import forgery
from stoic_assets.core.judging.judge import judge_virtues
from stoic_assets.core.judging.prompt import prompt_hash
from stoic_assets.core.virtues import ASPECTS, VIRTUES

Answer = Callable[[ChatRequest], str]


def test_each_virtue_is_asked_of_each_judge_for_each_sample(virtues: Any, make_verdict: Callable[..., str]) -> None:
    rows, requests = virtues(lambda r: make_verdict(r.brief["about"]), panel=("a", "b"), samples=2, temperature=0.7)
    assert [(row.virtue, row.judge_model, row.sample) for row in rows] == [
        (virtue, judge, sample) for virtue in VIRTUES for judge in ("a", "b") for sample in (0, 1)
    ]
    assert {(r.role, r.temperature) for r in requests} == {("judge", 0.7)}
    assert len({(r.cacheable_as, r.model, r.sample) for r in requests}) == 20
    assert {row.confidence_source for row in rows} == {"spread"}
    assert len({row.prompt_hash for row in rows}) == 5


def test_judges_with_options_are_asked_something_else(
    virtues: Any, make_verdict: Callable[..., str], make_job: Callable[..., Job]
) -> None:
    """What their verdicts are compared by, and calibrated."""
    plain = prompt_hash(make_job(), "wisdom")
    every = [{}, {"judge": {}}, {"other": {"seed": 1}}, {"judge": {"seed": 1}}, {"judge": {"seed": 2}}]
    hashes = [
        virtues(lambda r: make_verdict(r.brief["about"]), model_options=options)[0][0].prompt_hash for options in every
    ]
    assert hashes[:3] == [plain] * 3
    assert len({*hashes[2:]}) == 3


def test_a_verdict_becomes_a_row(virtues: Any, make_verdict: Callable[..., str]) -> None:
    said, made_up = "power over your mind", "power over the weather"

    def answer(request: ChatRequest) -> str:
        about = request.brief["about"]
        aspects = {key: {"example": said, "assessment": "yes", "score": 0.75} for key in ASPECTS[about]}
        examples = [said, said, made_up, made_up]
        return make_verdict(about, aspects=aspects, supporting_examples=examples, score=0.75, confidence=0.6)

    row = virtues(answer)[0][0]
    assert (row.trial_id, row.score, row.self_confidence) == ("trial-1", 0.75, 0.6)
    assert (row.exercised, row.error) == (True, None)
    assert row.grounded == 0.75
    assert row.confidence == pytest.approx(0.6 * 0.875)
    assert row.confidence_source == "self"
    assert row.aspects[3] == {"aspect": "truthfulness", "assessment": "yes", "example": said, "score": 0.75}
    assert row.improvement_suggestions == ["rest"]


def test_a_virtue_that_was_not_exercised_has_no_numbers(virtues: Any, make_verdict: Callable[..., str]) -> None:
    rows, _ = virtues(lambda r: make_verdict(r.brief["about"], exercised=r.brief["about"] != "courage"), samples=3)
    courage = [row for row in rows if row.virtue == "courage"]
    assert {(r.exercised, r.score, r.confidence, r.confidence_source) for r in courage} == {(False, None, None, None)}
    assert {r.error for r in courage} == {None}
    assert {aspect["score"] for row in courage for aspect in row.aspects} == {None}
    assert all(row.score == 0.5 for row in rows if row.virtue != "courage")


def test_a_malformed_reply_is_sent_back_with_the_reason(virtues: Any, make_verdict: Callable[..., str]) -> None:
    def answer(request: ChatRequest) -> str:
        return make_verdict(request.brief["about"], score=17 if len(request.messages) == 2 else 0.9)

    rows, requests = virtues(answer)
    assert [row.score for row in rows] == [0.9] * 5
    again = [r for r in requests if len(r.messages) == 4]
    assert len(again) == 5
    assert '"score": 17' in again[0].messages[2]["content"]
    assert "score: Input should be less than or equal to 1" in again[0].messages[3]["content"]
    assert len({r.cacheable_as for r in requests}) == 10
    assert [message["role"] for message in again[0].messages] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("silence", ["", " \n"])
def test_a_reply_without_words_is_sent_back_as_such(virtues: Any, silence: str) -> None:
    _, requests = virtues(lambda _: silence, repairs=1)
    assert [r.messages[2]["content"] for r in requests if len(r.messages) == 4] == ["(empty)"] * 5


@pytest.mark.parametrize(("repairs", "said"), [(0, "1 reply"), (2, "3 replies")])
def test_after_the_last_repair_the_row_stays_unscored(virtues: Any, repairs: int, said: str) -> None:
    rows, requests = virtues(lambda _: "I would say 0.8.", repairs=repairs)
    assert len(requests) == 5 * (repairs + 1)
    assert {(row.score, row.confidence, row.exercised) for row in rows} == {(None, None, None)}
    assert all(str(row.error).startswith(f"no valid verdict in {said};") for row in rows)


@pytest.mark.parametrize(
    ("failure", "error", "unpaid"),
    [
        (ModelFailure("cost ceiling reached before the verdict"), "cost ceiling reached before the verdict", False),
        (BudgetReached("5 USD"), "cost ceiling reached before the verdict: 5 USD", True),
    ],
)
def test_a_judge_that_fails_leaves_its_rows_unscored(
    virtues: Any, make_verdict: Callable[..., str], failure: Exception, error: str, unpaid: bool
) -> None:
    def answer(request: ChatRequest) -> str:
        if request.model == "broken":
            raise failure
        return make_verdict(request.brief["about"])

    rows, _ = virtues(answer, panel=("broken", "sound"))
    assert {(row.judge_model, row.score, row.error, row.unpaid) for row in rows} == {
        ("broken", None, error, unpaid), ("sound", 0.5, None, False),
    }


def test_a_record_is_searched_for_verdicts_once_however_many_judge_it_by_whatever_virtue(
    virtues: Any, make_verdict: Callable[..., str]
) -> None:
    forgery._verdicts.cache_clear()
    rows, _ = virtues(lambda request: make_verdict(request.brief["about"]), panel=("first", "second"))
    words, words_and_deeds = {"wisdom", "temperance"}, {"courage", "justice", "practical_wisdom"}
    assert {row.virtue for row in rows} == words | words_and_deeds
    assert (len(rows), forgery._verdicts.cache_info().misses) == (10, 2)


def test_a_wrong_configuration_ends_the_judging(virtues: Any, tasks: Any) -> None:
    def answer(_: ChatRequest) -> str:
        raise ConfigurationError("the key is wrong")

    with pytest.raises(ConfigurationError, match="the key is wrong"):
        virtues(answer)
    with pytest.raises(ConfigurationError, match="the key is wrong"):
        tasks(answer)


def test_verdicts_are_fetched_side_by_side(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence],
    make_verdict: Callable[..., str],
) -> None:
    judge = ScriptedModel(by=lambda r: make_verdict(r.brief["about"]))
    plain, together, most = judge.complete, 0, 0

    async def slow(request: ChatRequest) -> Any:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await asyncio.sleep(0.01)
        together -= 1
        return await plain(request)

    judge.complete = slow
    simulated(judge_virtues(make_job(), make_evidence("x"), judge, Judging(samples=3), ["a", "b"]))
    assert most == 30
