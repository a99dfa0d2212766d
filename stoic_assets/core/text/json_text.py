"""JSON that people also read: on one line in tables and in a terminal, laid out on several, its escapes as letters, and
out of the Markdown fence in which a model wrote it."""

import json
import re
from typing import Any

from stoic_assets.core.text.foreign_text import coded


def json_text(value: Any, *, allow_nan: bool = True) -> str:
    """The value as JSON on one line, in characters that can be read. It encodes to UTF-8.

    Invisible characters and halves of surrogate pairs are escaped. Raises ValueError for a number that is not finite,
    unless `allow_nan`.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=allow_nan)
    return text if text.isascii() and text.isprintable() else coded(text, lambda unseen: json.dumps(unseen)[1:-1])


DEEPEST = 200
"""The most levels that are indented; foreign JSON has fewer. Of many more, the blanks would fill any memory."""

_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_PART = re.compile(rf'{_TEXT.pattern}|[\[{{]\s*[\]}}]|[\[\]{{}},:]|[^\s"\[\]{{}},:]+')


_FENCE = re.compile(r"\A\s*```\w*+(.*?)```\s*\Z", re.DOTALL)
"""The language is matched once: given up letter by letter, 49,000 of them, which an agent may dictate, took 20 s."""


def unfenced(text: str) -> str:
    """What is in a Markdown fence, if there is nothing else; any other text as it is."""
    fence = _FENCE.match(text)
    return fence[1] if fence else text


def in_letters(text: str) -> str:
    """A text of JSON with the characters that it escapes, such as `"\\u58a8"`; any other text as it is."""
    return _TEXT.sub(lambda found: _unescaped(found[0]), text) if is_json(text) else text


def laid_out(text: str) -> str:
    """A text of one JSON object or list on indented lines; any other text as it is, and one of too many levels."""
    if not text.lstrip().startswith(("{", "[")) or not is_json(text):
        return text
    lines, levels = [""], 0
    for part in _PART.findall(text):
        levels += (part in ("{", "[")) - (part in ("}", "]"))
        if levels > DEEPEST:
            return text
        if part in ("}", "]"):
            lines.append("  " * levels)
        lines[-1] += _written(part)
        if part in ("{", "[", ","):
            lines.append("  " * levels)
    return "\n".join(lines)


def _written(part: str) -> str:
    if part.startswith('"'):
        return _unescaped(part)
    return ": " if part == ":" else "".join(part.split())


def _unescaped(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False) if "\\" in text else text


def is_json(text: str) -> bool:
    """Whether it is JSON, and not nested too deeply to be read by anybody."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def why_not_json(error: ValueError | RecursionError) -> str:
    """What is wrong with a text that `json.loads` refused, in words for whoever wrote it."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number has thousands of digits" if "digits" in str(error) else str(error)
