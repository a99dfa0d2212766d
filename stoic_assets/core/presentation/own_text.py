"""Text that pages contain unescaped because it is Stoic Eval's own: style sheets and scripts."""

import base64
import hashlib

from jinja2 import Environment
from markupsafe import Markup


def own_text(environment: Environment, name: str) -> Markup:
    """A style sheet or script of Stoic Eval, which goes into the page as it is."""
    text, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
    return Markup(text)  # noqa: S704


def policy_hash(text: str) -> str:
    """The source expression that lets a content security policy allow exactly this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
