"""What stands in our pages unescaped because it is ours: style sheets, scripts, charts."""

import base64
import hashlib

from jinja2 import Environment
from markupsafe import Markup

PAGE_INK = "currentColor"
"""What charts draw with in a page: the colour of its text, by day and by night."""


def own_text(environment: Environment, name: str) -> Markup:
    """A style sheet or script of ours, which goes into the page as it is."""
    text, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
    return Markup(text)  # noqa: S704


def policy_hash(text: str) -> str:
    """The source expression that lets a content security policy allow exactly this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
