"""The judge's rubrics: Jinja templates, built in or a job's own, and the hash that identifies a prompt.

A rubric is rendered from the job alone. The conversation is never rendered and never reaches a template.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Literal

from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.verdict import tasks_schema, virtue_schema
from stoic_assets.core.text import templates
from stoic_assets.core.virtues import Virtue

Rubric = Virtue | Literal["tasks"]
PACKAGE = "stoic_assets.core.judging"
EVIDENCE = "evidence.jinja"


def rendered(job: Job, rubric: Rubric, variables: Mapping[str, Any]) -> str:
    """The rubric as a system message. Raises `ConfigurationError` when the template does not render."""
    return _rendered(_template_source(job, rubric), json.dumps(variables), f"prompt {rubric!r} of job {job.name!r}")


@lru_cache(maxsize=64)
def _rendered(template: str, variables: str, name: str) -> str:
    """Rendered once for all trials of a job; `variables` are JSON."""
    return templates.render(PACKAGE, template, json.loads(variables), name)


def evidence_clause(opening: str, closing: str) -> str:
    """What every judge is told about the record, with built-in rubrics and own ones alike."""
    return _evidence_clause().replace("{opening}", opening).replace("{closing}", closing)


@cache
def _evidence_clause() -> str:
    """The clause with placeholders for the markers; the rest is the same in every request."""
    return templates.render(PACKAGE, source(EVIDENCE), {"opening": "{opening}", "closing": "{closing}"}, EVIDENCE)


def reply_schema(rubric: Rubric, tasks: int) -> Mapping[str, Any]:
    """Strict JSON Schema of the judge's answer about a job with this number of tasks."""
    return tasks_schema(tasks) if rubric == "tasks" else virtue_schema(rubric)


def prompt_hash(job: Job, rubric: Rubric) -> str:
    """SHA-256 over the template, every template that it includes, the evidence clause and the reply's schema."""
    return _hash(_template_source(job, rubric), rubric, len(job.tasks))


@cache
def _hash(template: str, rubric: Rubric, tasks: int) -> str:
    digest, schema = hashlib.sha256(), json.dumps(reply_schema(rubric, tasks), sort_keys=True)
    for text in (*templates.sources(PACKAGE, template), source(EVIDENCE), schema):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def hash_with(options: str, prompt_hash: str) -> str:
    """The hash of a prompt that is sent with options (`Judging.options_of`); the same where there are none."""
    return hashlib.sha256(f"{prompt_hash}{options}".encode()).hexdigest() if options else prompt_hash


def _template_source(job: Job, rubric: Rubric) -> str:
    """The job's own template where it has one, else the built-in."""
    own = job.prompts.get(rubric)
    return source(f"{rubric}.jinja") if own is None else own


def source(name: str) -> str:
    """The text of a built-in template."""
    return templates.source(PACKAGE, name)
