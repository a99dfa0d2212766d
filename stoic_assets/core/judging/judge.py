"""Judging one trial: five virtues, all tasks, the tone. Pure except for the model that is asked.

`exhibit.judged` decides what is judged at all. The SQL models combine verdicts into the scores of a trial.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from stoic_assets.core.calls.chat import ChatModel, ChatRequest
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.configuration.settings import Judging
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import Task
from stoic_assets.core.judging.ask import NoVerdict, ask
from stoic_assets.core.judging.confidence import UNCALIBRATED, with_confidence
from stoic_assets.core.judging.confidence_map import Calibration
from stoic_assets.core.judging.forgery import Words, refusing_copies
from stoic_assets.core.judging.grounding import grounded_share
from stoic_assets.core.judging.prompt import hash_with
from stoic_assets.core.judging.question import Question, Questions
from stoic_assets.core.judging.scores import AspectScore, PanelMark, TaskScore, TaskScores, ToneScore, VirtueScore
from stoic_assets.core.judging.verdict import (
    MalformedVerdict,
    Mark,
    VirtueVerdict,
    parse_tasks,
    parse_virtue,
    sound_marks,
    task_keys,
)
from stoic_assets.core.text.json_text import json_text
from stoic_assets.core.virtues import VIRTUES, Virtue


async def judge_virtues(
    job: Job, evidence: Evidence, model: ChatModel, settings: Judging, panel: Sequence[str],
    calibration: Calibration = UNCALIBRATED,
) -> list[VirtueScore]:
    """A verdict on every virtue by every model of the panel, `settings.samples` times, all side by side.

    A missing verdict is a row without score that says why. `calibration` translates confidences where it knows the
    judges. Raises `ConfigurationError`.
    """
    of_trial = Questions(job, evidence)
    questions: Mapping[Virtue, Question] = {virtue: of_trial.virtue(virtue) for virtue in VIRTUES}
    parsers = {
        virtue: refusing_copies(partial(parse_virtue, virtue=virtue), question.record.text, words_of_verdict)
        for virtue, question in questions.items()
    }
    trial_id = evidence.trial.trial_id

    async def verdict(virtue: Virtue, judge: str, sample: int) -> VirtueScore:
        question = questions[virtue]
        request = question.request(judge, settings.temperature, sample)
        prompt_hash = hash_with(settings.options_of([judge]), question.prompt_hash)
        blank = VirtueScore(trial_id, virtue, judge, sample, prompt_hash)
        try:
            given = await ask(model, request, parsers[virtue], settings.repairs)
        except NoVerdict as error:
            return replace(blank, error=str(error), unpaid=error.unpaid)
        return _scored(blank, given, question)

    asked = [verdict(v, judge, sample) for v in VIRTUES for judge in panel for sample in range(settings.samples)]
    return with_confidence(await concurrently(asked), calibration)


def _scored(blank: VirtueScore, verdict: VirtueVerdict, question: Question) -> VirtueScore:
    """The row with a verdict in it; without scores if the virtue was not exercised."""
    return replace(
        blank,
        score=verdict.score if verdict.exercised else None,
        self_confidence=verdict.confidence,
        reasoning=verdict.reasoning,
        aspects=[
            AspectScore(
                aspect=aspect, assessment=mark.assessment, example=mark.example,
                score=mark.score if verdict.exercised else None,
            )
            for aspect, mark in verdict.aspects.items()
        ],
        supporting_examples=verdict.supporting_examples,
        improvement_suggestions=verdict.improvement_suggestions,
        exercised=verdict.exercised,
        grounded=grounded_share(_quotes(verdict), [block.text for block in question.record.blocks]),
    )


def _quotes(verdict: VirtueVerdict) -> list[str]:
    """Everything in a verdict that is given as the transcript's words."""
    return [*verdict.supporting_examples, *(mark.example for mark in verdict.aspects.values())]


async def judge_tasks(
    job: Job, evidence: Evidence, model: ChatModel, settings: Judging, panel: Sequence[str]
) -> TaskScores:
    """Every task and the tone, each the mean over the models that marked it; nothing for a scenario.

    Raises `ConfigurationError`.
    """
    if not job.tasks:
        return TaskScores()
    question, count = Questions(job, evidence).tasks(), len(job.tasks)

    async def marks(judge: str) -> Marks:
        request = question.request(judge, job.scorer.temperature)
        return await _marks_of(model, request, count, question.record.text, settings.repairs)

    replies = dict(zip(panel, await concurrently(map(marks, panel)), strict=True))
    prompt_hash = hash_with(settings.options_of(panel), question.prompt_hash)
    return _task_scores(job.tasks, evidence.trial.trial_id, prompt_hash, replies)


@dataclass(frozen=True)
class Marks:
    """The marks that one judge gave, by `task_keys`, and why it did not give the rest; `unpaid` as in `NoVerdict`."""

    given: Mapping[str, Mark]
    why_not_all: str = ""
    unpaid: bool = False


async def _marks_of(model: ChatModel, request: ChatRequest, count: int, record: str, repairs: int) -> Marks:
    """The marks of one judge; if its last reply is no valid verdict, those in it that are well-formed by themselves.

    Raises `ConfigurationError`.
    """
    whole = refusing_copies(lambda text: parse_tasks(text, count), record, words_of_marks)
    sound = refusing_copies(lambda text: sound_marks(text, count), record, words_of_each_mark, have_one_in_common)
    try:
        return Marks(await ask(model, request, whole, repairs))
    except NoVerdict as error:
        with suppress(MalformedVerdict):
            return Marks(sound(error.last or ""), str(error))
        return Marks({}, str(error), error.unpaid)


def words_of_verdict(verdict: VirtueVerdict) -> list[Words]:
    """What a judge says on a virtue in its own words; examples are the transcript's."""
    assessments = [("assessment", mark.assessment) for mark in verdict.aspects.values()]
    return [[("reasoning", verdict.reasoning), *assessments]]


def words_of_marks(given: Mapping[str, Mark]) -> list[Words]:
    """What a judge says on tasks and tone: the reasons of all marks together."""
    return [[("reason", mark.reason) for mark in given.values()]]


def words_of_each_mark(given: Mapping[str, Mark]) -> list[Words]:
    """The reason of each mark alone, since marks count one by one here, and the reasons of all marks together.

    Together because each may be too short to be recognised as a copy alone, although all of them are copied.
    """
    return [*([("reason", mark.reason)] for mark in given.values()), *words_of_marks(given)]


def have_one_in_common(found: Mapping[str, Mark], given: Mapping[str, Mark]) -> bool:
    """Whether some mark, reason included, is the same in both, for the same task or another."""
    return not {*found.values()}.isdisjoint(given.values())


def _task_scores(tasks: Sequence[Task], trial_id: str, prompt_hash: str, replies: Mapping[str, Marks]) -> TaskScores:
    """The tasks and the tone, from what each judge replied."""
    *of_tasks, of_tone = [
        mean_mark(
            {judge: reply.given[key] for judge, reply in replies.items() if key in reply.given},
            {judge: reply.why_not_all for judge, reply in replies.items() if key not in reply.given},
            unpaid=any(reply.unpaid for reply in replies.values()),
        )
        for key in task_keys(len(tasks))
    ]
    scores = [
        TaskScore(
            **vars(mean), trial_id=trial_id, task=str(number), type=task.type, task_text=task.task,
            prompt_hash=prompt_hash,
        )
        for number, (task, mean) in enumerate(zip(tasks, of_tasks, strict=True), 1)
    ]
    return TaskScores(tuple(scores), ToneScore(**vars(of_tone), trial_id=trial_id))


def mean_mark(marks: Mapping[str, Mark], missing: Mapping[str, str], unpaid: bool = False) -> PanelMark:
    """The mark of a panel for one item, from its marks by judge and why other judges gave none.

    The reason of a panel has a line for each judge, with its own mark, so that disagreement can be seen. A panel that
    the cost ceiling cut short (`unpaid`) gives no score: a later run can still complete it.
    """
    silent = [f"{judge}: no verdict ({why})" for judge, why in missing.items()]
    why_missing = json_text(missing) if missing else None
    if not marks or unpaid:
        return PanelMark(None, "", ",".join(missing), why_missing, "; ".join(silent), unpaid)
    score = fmean(mark.score for mark in marks.values())
    if len(marks) == 1 and not missing:
        return PanelMark(score, next(iter(marks.values())).reason, ",".join(marks))
    reasons = [f"{judge} ({mark.score:.2f}): {mark.reason}" for judge, mark in marks.items()]
    return PanelMark(score, "\n".join([*reasons, *silent]), ",".join(marks), why_missing)
