"""The judge's rubrics: Jinja templates, built in or a job's own, and the hash by which a prompt is known.

A rubric is rendered from the job alone. The conversation is never rendered and never reaches a template.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from jinja2 import PackageLoader, StrictUndefined, Template, TemplateError
from jinja2.meta import find_referenced_templates
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.judging.virtues import Virtue

Rubric = Virtue | Literal["tasks"]
EVIDENCE = "evidence.jinja"


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Sandboxed, strict about unknown names; own templates may extend and import the built-in ones."""
    # Prompts are plain text for a model, so nothing is escaped for HTML.
    return ImmutableSandboxedEnvironment(
        loader=built_in(), undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )


@cache
def built_in() -> PackageLoader:
    """The templates in `prompts/`."""
    return PackageLoader("stoic_assets.core.judging", "prompts")


def rendered(job: Job, rubric: Rubric, variables: Mapping[str, Any]) -> str:
    """The rubric as a system message. Raises `ConfigurationError` when the template does not render."""
    try:
        return compiled(template_source(job, rubric)).render(variables).strip()
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        line = getattr(error, "lineno", None)
        place = f"prompt {rubric!r} of job {job.name!r}" + (f", line {line}" if line else "")
        raise ConfigurationError(f"{place}: {error}; see docs/judging.md for what a template may use") from error


@cache
def compiled(text: str) -> Template:
    """The template of a source; a job's is used by all its trials."""
    return environment().from_string(text)


def evidence_clause(opening: str, closing: str) -> str:
    """What every judge is told about the record, whoever wrote the rubric."""
    return environment().get_template(EVIDENCE).render(opening=opening, closing=closing).strip()


def prompt_hash(job: Job, rubric: Rubric, schema: Mapping[str, Any]) -> str:
    """SHA-256 over the template, every template that it builds on, the evidence clause and the reply's schema."""
    digest = hashlib.sha256()
    for text in (*sources(template_source(job, rubric)), source(EVIDENCE), json.dumps(schema, sort_keys=True)):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def template_source(job: Job, rubric: Rubric) -> str:
    """The job's own template where it has one, else the built-in."""
    own = job.prompts.get(rubric)
    return source(f"{rubric}.jinja") if own is None else own


@cache
def sources(text: str) -> tuple[str, ...]:
    """A template's source and, depth first, those of the built-in templates that it names."""
    named = [source(name) for name in find_referenced_templates(environment().parse(text)) if name]
    return (text, *(inner for found in named for inner in sources(found)))


def source(name: str) -> str:
    """The text of a built-in template."""
    return built_in().get_source(environment(), name)[0]
