"""Stoic Eval's Markdown: foreign text in it is shown as written and has no markup, and pictures need no file."""

import base64
import re
from collections.abc import Callable, Iterable

from stoic_assets.core.text.foreign_text import visible

_SPAN = re.compile(r"[\\`*_\[\]<>!|&~$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_CODE = re.compile(r"`([^`]+)`")
_ADDRESS = re.compile(r"(?<![\w.+-])([\w.+-]+@[\w.+-]*[\w+-])")
"""An agent version or an e-mail address: GitHub takes one for the other, and makes it a link whatever is escaped."""
_BLOCK = re.compile(r"^(?:\d+(?=[.)])|(?=[#+=:-]))")
"""What makes a line a heading, an item of a list, or the rule that makes the line before it one of them."""


def plain(text: str) -> str:
    """Foreign text as one line that shows only the text, at any place in a line of Markdown; agent versions as code."""
    return _BLOCK.sub(r"\g<0>\\", _escaped(_one_line(text)))


def with_code(message: str) -> str:
    """A message of Stoic Eval as `plain`, in which what stands between backticks is code."""
    parts = _CODE.split(_one_line(message))
    written = (f"`{part}`" if place % 2 else _escaped(part) for place, part in enumerate(parts))
    return _BLOCK.sub(r"\g<0>\\", "".join(written))


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _escaped(text: str) -> str:
    parts = _ADDRESS.split(text)
    return "".join(f"`{part}`" if place % 2 else _SPAN.sub(r"\\\g<0>", part) for place, part in enumerate(parts))


def bulleted(lines: Iterable[str], form: Callable[[str], str] = plain) -> str:
    """Lines as a list, foreign ones unless `form` is that of others; empty where there are none."""
    return "\n".join(f"- {form(line)}" for line in lines)


def picture(alternative: str, svg: str) -> str:
    """A drawing as an image with embedded data: Dagster's web UI shows it, most other viewers do not."""
    return f"![{alternative}](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"
