"""Prompt templates: Jinja in a sandbox, where an unknown variable is an error and hostile text is never a template.

Each package of `core` that asks a model keeps its built-in templates in a folder `prompts`; a job may bring its own,
which may extend and import the built-in ones of the package that uses it. The HTML of reports is separate.
"""

from collections.abc import Mapping, Set
from functools import cache
from typing import Any

from jinja2 import (
    PackageLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
)
from jinja2.meta import find_referenced_templates, find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stoic_assets.core.errors import ConfigurationError, DocumentError

_FAULTS = (
    TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RuntimeError, AssertionError,
)  # fmt: skip
"""What a user's template can raise: the sandbox lets Python's own errors through."""


def render(package: str, text: str, variables: Mapping[str, Any], name: str) -> str:
    """The rendered text. Raises `ConfigurationError`, which calls the template by `name`, when it does not render."""
    try:
        return _compiled(package, text).render(variables).strip()
    except _FAULTS as error:
        line = getattr(error, "lineno", None)
        place = f"{name}, line {line}" if line else name
        raise ConfigurationError(f"{place}: {error}; docs/judging.md and docs/jobs.md say what it may use") from error


def refuse_unusable(package: str, text: str, variables: Set[str], source: str) -> None:
    """Raises `DocumentError` for what could not render: invalid syntax, a missing built-in template, unknown variables.

    Only rendering shows which members a variable has.
    """
    try:
        unknown = _needed(package, text) - variables
    except (TemplateSyntaxError, RecursionError) as error:
        line, reason = getattr(error, "lineno", None), getattr(error, "message", error)
        raise DocumentError(source, line, "", f"not a valid template: {reason}") from None
    except TemplateNotFound as error:
        built_in = ", ".join(names(package))
        raise DocumentError(source, None, "", f"there is no template {error}; it can extend {built_in}") from None
    if unknown:
        problem = f"unknown variables: {', '.join(sorted(unknown))}; known here are {', '.join(sorted(variables))}"
        raise DocumentError(source, None, "", problem)


def _needed(package: str, text: str) -> set[str]:
    """The variables without which a template, or one that it includes, cannot render.

    Empty if it tests whether one is defined: then it decides itself which parts need which variables.
    """
    needed: set[str] = set()
    own: set[str] = set()
    for tree in [_environment(package).parse(each) for each in sources(package, text)]:
        if any(test.name in ("defined", "undefined") for test in tree.find_all(nodes.Test)):
            return set()
        needed |= find_undeclared_variables(tree)
        own |= _provided(tree)
    return needed - own


def _provided(tree: nodes.Template) -> set[str]:
    """Names that a template sets, imports or has a default for; those of the top level are visible in blocks."""
    found = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    found |= {each.target for each in tree.find_all(nodes.Import)} | {each.name for each in tree.find_all(nodes.Macro)}
    for imported in tree.find_all(nodes.FromImport):
        found |= {name if isinstance(name, str) else name[1] for name in imported.names}
    for applied in tree.find_all(nodes.Filter):
        if applied.name in ("default", "d") and isinstance(applied.node, nodes.Name):
            found.add(applied.node.name)
    return found


def names(package: str) -> list[str]:
    """The built-in templates of a package."""
    return _environment(package).list_templates()


@cache
def source(package: str, name: str) -> str:
    """The text of a built-in template."""
    return _loader(package).get_source(_environment(package), name)[0]


@cache
def sources(package: str, text: str) -> tuple[str, ...]:
    """A template's text and, depth first, the built-in templates that it names; missing optional ones are skipped."""
    tree = _environment(package).parse(text)
    optional = nodes.Template([each for each in tree.find_all(nodes.Include) if each.ignore_missing])
    missing = set(find_referenced_templates(optional)) - set(names(package))
    named = [source(package, name) for name in find_referenced_templates(tree) if name and name not in missing]
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
