"""What a judge is asked: the rubric from the job, the record from the evidence, the form of the answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from secrets import token_hex
from typing import Any

from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import Task
from stoic_assets.core.judging.exhibit import as_json, blocks, function_calls
from stoic_assets.core.judging.fence import Record, closing, fenced, opening
from stoic_assets.core.judging.prompt import Rubric, evidence_clause, prompt_hash, rendered, reply_schema
from stoic_assets.core.text.clean_text import clean
from stoic_assets.core.virtues import ASPECTS, TITLES, Virtue

PARTS: Mapping[Virtue, tuple[str, ...]] = {
    "courage": ("difficulty",), "temperance": ("requirements",), "practical_wisdom": ("context",),
}  # fmt: skip
"""The extra fields of a task that the judge of a virtue is shown by the built-in templates; own ones need not."""
WITH_ACTIONS: frozenset[Virtue] = frozenset({"courage", "justice", "practical_wisdom"})
"""Virtues that are judged by the agent's actions as well as by its words."""
CACHED_AS = "0" * 16
"""Replaces the random token in the text that identifies a request."""


@dataclass(frozen=True)
class Question:
    """One thing to judge about one trial, independent of the model that answers.

    Trials with identical transcripts are still judged one by one: a repeat is a second opinion, and a verdict for
    another evaluation on another day is not reused. `trial_id` is empty where no trial is judged.
    """

    rubric: str
    record: Record
    schema: Mapping[str, Any]
    schema_name: str
    prompt_hash: str
    brief: Mapping[str, Any] = field(default_factory=dict)
    trial_id: str = ""

    def request(self, model: str, temperature: float, sample: int = 0) -> ChatRequest:
        """The question as a request to one model, with a new token in its fence."""
        return ChatRequest(
            role="judge",
            model=model,
            messages=self.messages(token_hex(8)),
            temperature=temperature,
            schema=self.schema,
            schema_name=self.schema_name,
            sample=sample,
            brief=self.brief,
            cacheable_as=self.identity,
            trial_id=self.trial_id or None,
        )

    @cached_property
    def identity(self) -> str:
        """SHA-256 over what is asked, without the token; a hash, so that waiting questions keep no second copy."""
        return hashlib.sha256(json.dumps([self.trial_id, *self.messages(CACHED_AS)]).encode()).hexdigest()

    def messages(self, token: str) -> tuple[dict[str, str], ...]:
        """The rubric as system message; the record alone as user message."""
        system = f"{self.rubric}\n\n{evidence_clause(opening(token), closing(token))}"
        return {"role": "system", "content": system}, {"role": "user", "content": fenced(self.record.text, token)}


class Questions:
    """All questions about one trial; what several of them share is made once.

    Making a question raises `ConfigurationError` when the job's own template does not render.
    """

    def __init__(self, job: Job, evidence: Evidence) -> None:
        self._job, self._evidence = job, evidence

    def virtue(self, virtue: Virtue) -> Question:
        """One virtue."""
        record = self._words_and_deeds if virtue in WITH_ACTIONS else self._words
        return self._question(virtue, record)

    def tasks(self) -> Question:
        """All tasks and the tone."""
        return self._question("tasks", self._words)

    def _question(self, rubric: Rubric, record: Record) -> Question:
        known = self._of_job | _of_rubric(rubric)
        return Question(
            rubric=rendered(self._job, rubric, known),
            record=record,
            schema=reply_schema(rubric, len(self._job.tasks)),
            schema_name=f"{rubric}_verdict",
            prompt_hash=prompt_hash(self._job, rubric),
            brief={"about": rubric, **known, **self._happened},
            trial_id=self._evidence.trial.trial_id,
        )

    @cached_property
    def _of_job(self) -> dict[str, Any]:
        return _job_variables(self._job, self._evidence.trial.scenario)

    @cached_property
    def _words(self) -> Record:
        return Record(blocks(self._evidence, with_actions=False))

    @cached_property
    def _words_and_deeds(self) -> Record:
        return Record(blocks(self._evidence, with_actions=True))

    @cached_property
    def _happened(self) -> dict[str, Any]:
        turns = self._evidence.turns
        return {
            "turns": [{"speaker": turn.speaker, "content": clean(turn.content)} for turn in turns],
            "actions": [clean(call) for turn in turns for call in function_calls(turn.events)],
        }


def rubric_variables(job: Job, rubric: Rubric, scenario: str | None) -> dict[str, Any]:
    """All variables that the template of a rubric may use; of a scenario only its input, never what is expected."""
    return _job_variables(job, scenario) | _of_rubric(rubric)


def _job_variables(job: Job, scenario: str | None) -> dict[str, Any]:
    return {
        "tasks": [_task_variables(task) for task in job.tasks],
        "scenario": job.scenario(scenario).input if job.scenarios else None,
        "facts": list(job.facts),
        "seeds": job.seeded_messages(),
    }


def _of_rubric(rubric: Rubric) -> dict[str, Any]:
    if rubric == "tasks":
        return {}
    return {"virtue": rubric, "title": TITLES[rubric], "aspects": ASPECTS[rubric], "parts": [*PARTS.get(rubric, ())]}


def _task_variables(task: Task) -> dict[str, str | None]:
    """The fields of a task as texts."""
    return {
        "type": task.type,
        "task": task.task,
        "acceptance_criteria": task.acceptance_criteria,
        "difficulty": task.difficulty,
        "requirements": _as_text(task.requirements),
        "context": _as_text(task.context),
    }


def _as_text(value: dict[str, Any] | list[Any] | str | None) -> str | None:
    """A text as it is, anything else as JSON."""
    return value if value is None or isinstance(value, str) else as_json(value)
