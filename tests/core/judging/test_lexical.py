import asyncio
import json
from collections.abc import Callable
from statistics import fmean
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted_model import ScriptedModel

from stoic_assets.core.configuration.settings import Judging
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.cues import ADVICE, CUES, SIGNALS
from stoic_assets.core.judging.judge import judge_tasks, judge_virtues
from stoic_assets.core.judging.lexical import MEASURES, Reading, fitting_length, lexical_reply, suggestions, task_mark
from stoic_assets.core.judging.question import Questions
from stoic_assets.core.judging.scores import TaskScores, VirtueScore
from stoic_assets.core.judging.verdict import parse_tasks, parse_virtue
from stoic_assets.core.virtues import ASPECTS, VIRTUES

GENTLE = """That sounds hard. Perhaps your colleague sees it otherwise, so it may help to hear their side first, because
each of you has a share. I may be wrong, since I only know your view. Epictetus wrote that everything has two handles.
What would be one small step for today?"""
ROUGH = """Nobody cares about your colleague. You always complain, and it is obviously your own fault.
Stop whining and grow up."""
KIND = ("I've set a reminder for tomorrow at 9.", GENTLE)
HARSH = ("I've set a reminder for tomorrow at 9. Stop wasting my time.", ROUGH)


@pytest.fixture
def judged(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]
) -> Callable[..., tuple[list[VirtueScore], TaskScores]]:
    def run(*replies: str) -> tuple[list[VirtueScore], TaskScores]:
        judge, evidence, ask = ScriptedModel(by=lexical_reply), make_evidence(*replies), Judging(samples=1)
        virtues = asyncio.run(judge_virtues(make_job(), evidence, judge, ask, ["offline"]))
        return virtues, asyncio.run(judge_tasks(make_job(), evidence, judge, ask, ["offline"]))

    return run


def test_the_tables_fit_together() -> None:
    aspects = {aspect for virtue in VIRTUES for aspect in ASPECTS[virtue]}
    assert set(SIGNALS) == aspects | {"tone"}
    signs = {sign for signals in SIGNALS.values() for sign in signals}
    assert signs <= set(CUES) | set(MEASURES)
    assert set(ADVICE) | {"claim"} >= signs


def test_a_wanted_length_is_found_wherever_the_requirements_end() -> None:
    task = {"task": "Ask for the plan.", "requirements": "keep it short"}
    brief = {"turns": [{"speaker": "agent", "content": "word " * 80}], "tasks": [task], "scenario": None}
    assert fitting_length(Reading(brief)) == 0.5


def reading(*turns: tuple[str, str]) -> Reading:
    """What is found in these turns of speakers."""
    task = {"task": "Ask how to be fair to a colleague", "requirements": None}
    said = [{"speaker": speaker, "content": content} for speaker, content in turns]
    return Reading({"turns": said, "tasks": [task], "scenario": None, "facts": [], "actions": []})


def test_no_score_leaves_the_scale_however_many_signs_there_are() -> None:
    deep = "Epictetus wrote that to be fair to a colleague is wise, because both gain."
    assert reading(("agent", deep)).score("knowledge_depth") == 1.0
    assert reading(("agent", "You are always a fool.")).score("tone") == 0.0


def test_the_agents_words_alone_are_read_and_the_weightiest_is_quoted() -> None:
    read = reading(("user", "You always complain."), ("agent", "Well, thank you. Do not be such a fool."))
    assert read.sentences == ["Well, thank you.", "Do not be such a fool."]
    assert read.example("fairness") == "Do not be such a fool."


def test_advice_is_on_what_the_weakest_aspects_lack_or_show() -> None:
    plain, rough = reading(("agent", "Do this.")), reading(("agent", "You are a fool."))
    assert plain.costs("consistent_tone") == {"kind": 0.25}
    assert rough.costs("consistent_tone") == {"kind": 0.25, "harsh": 0.5}
    scores = {"attribution": 0.8, "consistent_tone": 0.3, "avoiding_bias": 0.7}
    assert suggestions(plain, scores) == [ADVICE["kind"], ADVICE["both"]]


def test_no_advice_is_to_do_what_was_done_or_could_not_be() -> None:
    """To be kind at full strength, and to use facts in a job without any."""
    read = reading(("agent", "Thank you, I understand."))
    assert suggestions(read, {"consistent_tone": read.score("consistent_tone")}) == []
    assert suggestions(read, {"factual_accuracy": 0.5}) == [ADVICE["on_topic"]]


def test_a_refusal_costs_marks() -> None:
    task = {"task": "Ask how to be fair to a colleague", "acceptance_criteria": "Both sides are heard"}
    said = ("I like to be fair to a colleague.", "I refuse to be fair to a colleague.")
    assert [task_mark(reading(("agent", each)), task)["score"] for each in said] == [0.57, 0.17]


def test_a_harsh_agent_loses_on_every_virtue_and_on_tone(judged: Any) -> None:
    (kind, kind_tasks), (harsh, harsh_tasks) = judged(*KIND), judged(*HARSH)
    for good, bad in zip(kind, harsh, strict=True):
        assert good.score > bad.score + 0.2, good.virtue
        assert bad.score < 0.7 < bad.confidence
        assert bad.improvement_suggestions
    assert kind_tasks.tone.score > 0.7 > 0.3 > harsh_tasks.tone.score


def test_its_quotes_are_real_and_its_confidence_is_moderate(judged: Any) -> None:
    for row in (*judged(*KIND)[0], *judged(*HARSH)[0]):
        assert row.grounded == 1
        assert row.supporting_examples
        assert 0.6 <= row.self_confidence <= 0.9


def test_of_a_reply_without_end_of_sentence_it_quotes_the_beginning(judged: Any) -> None:
    record = json.dumps([{"reminder": f"I've set a reminder for tomorrow at {number}"} for number in range(2000)])
    virtues, tasks = judged(record)
    assert [(row.error, row.grounded) for row in virtues] == [(None, 1)] * len(VIRTUES)
    assert {len(quote) for row in virtues for quote in row.supporting_examples} == {500}
    assert max(len(task.reason) for task in tasks.tasks) < 800


def test_it_takes_a_claim_for_the_deed(judged: Any) -> None:
    claimed, silent = judged("I've set a reminder for tomorrow at 9.")[1], judged("Virtue is the only good.")[1]
    assert claimed.tasks[0].score > 0.8 > 0.3 > silent.tasks[0].score
    assert 'Taken at its word: "I\'ve set a reminder for tomorrow at 9."' in claimed.tasks[0].reason


def test_every_verdict_says_that_it_is_none(judged: Any) -> None:
    virtues, tasks = judged(*KIND)
    reasons = [row.reasoning for row in virtues] + [row.reason for row in (*tasks.tasks, tasks.tone)]
    assert all(reason.startswith("Offline word count, no judgement") for reason in reasons)


def test_justice_needs_an_occasion(make_job: Callable[..., Job], make_evidence: Callable[..., Evidence]) -> None:
    lonely = make_job(tasks=[{"task": "Ask for a reminder", "acceptanceCriteria": "It is set"}])
    for job, exercised in ((lonely, False), (make_job(), True)):
        request = Questions(job, make_evidence(*KIND)).virtue("justice").request("offline", 0.0)
        assert parse_virtue(lexical_reply(request), "justice").exercised is exercised


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(replies=st.lists(st.text(max_size=80) | st.sampled_from([*KIND, *HARSH]), max_size=4))
def test_it_answers_any_conversation_in_the_form_that_is_asked_for(
    make_job: Callable[..., Job], make_evidence: Callable[..., Evidence], replies: list[str]
) -> None:
    job, evidence = make_job(), make_evidence(*replies)
    for virtue in VIRTUES:
        request = Questions(job, evidence).virtue(virtue).request("offline", 0.0)
        verdict = parse_virtue(lexical_reply(request), virtue)
        assert lexical_reply(request) == lexical_reply(request)
        assert verdict.score == pytest.approx(fmean(mark.score for mark in verdict.aspects.values()), abs=0.01)
        jsonschema.Draft202012Validator(request.schema).validate(verdict.model_dump())
    assert len(parse_tasks(lexical_reply(Questions(job, evidence).tasks().request("offline", 0.0)), 2)) == 3
