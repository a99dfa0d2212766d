"""What a chat completion says. It is foreign JSON: any part may be missing, or be something else."""

import re
from typing import Any

from stoic_assets.adapters.foreign_text import excerpt
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.redaction import Redactor
from stoic_assets.core.well_formed_text import well_formed

_THOUGHTS = re.compile(r"\A\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)
"""How servers that know nothing of reasoning models pass on what these think before they answer."""


def text_of(completion: Any) -> str:
    """The words of a completion, without what the model thought before; none is for the asker to complain of.

    Raises `AttemptFailed` for what is no completion; a refusal is final.
    """
    choice = _part(completion, "choices", 0)
    message = _part(choice, "message")
    if message is None:
        raise AttemptFailed("the answer is not a chat completion")
    if refusal := _part(message, "refusal"):
        raise AttemptFailed(f"the model refuses: {excerpt(str(refusal), Redactor(()))}", final=True)
    content = _part(message, "content")
    if content is not None and not isinstance(content, str):
        raise AttemptFailed("the reply is no text", final=True)
    return _THOUGHTS.sub("", well_formed(content or ""))


def finish_reason_of(completion: Any) -> str:
    """Why the words of a completion end; empty where the server does not say."""
    reason = _part(completion, "choices", 0, "finish_reason")
    return excerpt(reason, Redactor(())) if isinstance(reason, str) else ""


def tokens_of(completion: Any, name: str) -> int:
    """A count of the reply's usage; 0 where the server tells none."""
    count = _part(completion, "usage", name)
    return count if isinstance(count, int) else 0


def _part(value: Any, *path: str | int) -> Any:
    """What stands at `path` in foreign JSON; None where there is nothing."""
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value
