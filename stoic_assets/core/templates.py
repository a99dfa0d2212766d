"""Prompt templates: Jinja in a sandbox, where an unknown variable is an error and hostile text is never a template.

Each package of `core` that asks a model keeps its built-in templates in a folder `prompts`; a job may bring its own,
which may extend and import the built-in ones of the package it is used in. The HTML of reports is none of this.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.meta import find_referenced_templates
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stoic_assets.core.errors import ConfigurationError, DocumentError

_FAULTS = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What a template of a user can raise: the sandbox lets Python's own errors pass."""


def render(package: str, text: str, variables: Mapping[str, Any], name: str) -> str:
    """The rendered text. Raises `ConfigurationError`, which calls the template by `name`, when it does not render."""
    try:
        return _compiled(package, text).render(variables).strip()
    except _FAULTS as error:
        line = getattr(error, "lineno", None)
        place = f"{name}, line {line}" if line else name
        raise ConfigurationError(f"{place}: {error}; docs/judging.md and docs/jobs.md say what it may use") from error


def refuse_malformed(text: str, source: str) -> None:
    """Raises `DocumentError` for text that is no template; whether it renders, only its variables can tell."""
    try:
        Environment(autoescape=False).parse(text)  # noqa: S701 - nothing is rendered
    except TemplateSyntaxError as error:
        raise DocumentError(source, error.lineno, "", f"not a valid template: {error}") from None


def names(package: str) -> list[str]:
    """The built-in templates of a package."""
    return _environment(package).list_templates()


@cache
def source(package: str, name: str) -> str:
    """The text of a built-in template."""
    return _loader(package).get_source(_environment(package), name)[0]


@cache
def sources(package: str, text: str) -> tuple[str, ...]:
    """A template's text and, depth first, those of the built-in templates that it names."""
    named = [source(package, name) for name in find_referenced_templates(_environment(package).parse(text)) if name]
    return (text, *(inner for found in named for inner in sources(package, found)))


@cache
def _compiled(package: str, text: str) -> Template:
    return _environment(package).from_string(text)


@cache
def _environment(package: str) -> ImmutableSandboxedEnvironment:
    # Prompts are plain text for a model: escaping for HTML would only garble them.
    return ImmutableSandboxedEnvironment(
        loader=_loader(package), undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def _loader(package: str) -> PackageLoader:
    return PackageLoader(package, "prompts")
