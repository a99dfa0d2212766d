"""The content of a chat completion. It is foreign JSON: any part may be missing, or be something else."""

from typing import Any

from stoic_assets.adapters.http.foreign_text import excerpt, part_of
from stoic_assets.adapters.models.spoken_text import said_aloud
from stoic_assets.core.calls.chat import SPOKEN
from stoic_assets.core.errors import AttemptFailed
from stoic_assets.core.secrets.redaction import Redactor

MOST_TOKENS = 10**9


def text_of(completion: Any, secrets: Redactor) -> str:
    """The text of a completion, without the model's thoughts before it; the caller handles an empty one.

    Raises `AttemptFailed`, which shows no `secrets`, for anything that is not a completion; a refusal is final.
    """
    choice = part_of(completion, "choices", 0)
    message = part_of(choice, "message")
    if message is None:
        raise AttemptFailed("the answer is not a chat completion")
    if refusal := part_of(message, "refusal"):
        raise AttemptFailed(f"the model refuses: {excerpt(str(refusal), secrets)}", final=True)
    content = part_of(message, "content")
    if content is not None and not isinstance(content, str):
        content = _texts(content)
    return said_aloud(content or "")


def _texts(content: Any) -> str:
    """The text of a list of parts, some of which contain thoughts."""
    parts = content if isinstance(content, list) else []
    texts = [part_of(part, "text") for part in parts if part_of(part, "type") in SPOKEN]
    found = [text for text in texts if isinstance(text, str)]
    if not found:
        raise AttemptFailed("the reply is not text", final=True)
    return "".join(found)


def finish_reason_of(completion: Any, secrets: Redactor) -> str:
    """Why the text of a completion ends; empty where the server does not say."""
    reason = part_of(completion, "choices", 0, "finish_reason")
    return excerpt(reason, secrets) if isinstance(reason, str) else ""


def served_model_of(completion: Any, secrets: Redactor) -> str | None:
    """The model that answered, which a gateway may have chosen; None where the server does not say."""
    model = part_of(completion, "model")
    return (excerpt(model, secrets) or None) if isinstance(model, str) else None


def tokens_of(completion: Any, *path: str) -> int | None:
    """A count from the reply's usage; None where the server gives none, or an impossible one."""
    count = part_of(completion, "usage", *path)
    return count if type(count) is int and 0 <= count < MOST_TOKENS else None


def paid_tokens_of(completion: Any) -> tuple[int | None, int | None]:
    """The tokens that are paid as input, and as output; None where the server does not say.

    Gemini and xAI count the model's thoughts in `total_tokens` alone, and charge for them: often the larger part.
    """
    prompt, output, total = (tokens_of(completion, f"{name}_tokens") for name in ("prompt", "completion", "total"))
    if prompt is None:
        return None, output
    prompt += _cached_apart(completion, prompt, (total or 0) - prompt - (output or 0))
    if total is None or total < prompt:
        return prompt, output
    return prompt, max(output or 0, total - prompt)


def _cached_apart(completion: Any, prompt: int, more: int) -> int:
    """The tokens from or for a cache that `prompt_tokens` leaves out, as gateways to Anthropic's models do.

    They are those that the total has `more`, or cannot be a part of the prompt since they are larger. Each is looked at
    by itself: some releases of LiteLLM add what was read to the prompt, but not what was written.
    """
    read, written = (tokens_of(completion, f"cache_{use}_input_tokens") or 0 for use in ("read", "creation"))
    if read + written == more > 0:
        return more
    read = max(read, tokens_of(completion, "prompt_tokens_details", "cached_tokens") or 0)
    return sum(each for each in (read, written) if each > prompt)
