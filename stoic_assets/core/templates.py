"""Prompt templates: Jinja in a sandbox, where an unknown variable is an error and hostile text is never a template."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import PackageLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from stoic_assets.core.errors import ConfigurationError


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    # Prompts are plain text for a model, not HTML: escaping would only garble them.
    return ImmutableSandboxedEnvironment(
        loader=PackageLoader("stoic_assets", "core"), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )


def render(template: str, variables: Mapping[str, Any], own: str | None = None) -> str:
    """The built-in `template` (a path below `core/`), or the text of a job's `own` template instead.

    Raises `ConfigurationError` when a template of a job does not render.
    """
    environment = _environment()
    try:
        chosen = environment.from_string(own) if own is not None else environment.get_template(template)
        return chosen.render(variables).strip()
    except TemplateError as error:
        raise ConfigurationError(f"the prompt template for {template} does not render: {error}") from None


def source(template: str, own: str | None = None) -> str:
    """The text of a template before rendering, as it enters hashes."""
    if own is not None:
        return own
    environment = _environment()
    text, _, _ = environment.loader.get_source(environment, template)  # type: ignore[union-attr]
    return text
