"""Stoic Eval's Markdown: foreign text in it is shown as written and has no markup, and pictures need no file."""

import base64
import re
from collections.abc import Iterable

from stoic_assets.core.visible_text import visible

_SPAN = re.compile(r"[\\`*_\[\]<>!|&~$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_BLOCK = re.compile(r"^(?:\d+(?=[.)])|(?=[#+=:-]))")
"""What makes a line a heading, an item of a list, or the rule that makes the line before it one of them."""


def plain(text: str) -> str:
    """Foreign text as one line that shows only the text, at any place in a line of Markdown."""
    return _BLOCK.sub(r"\g<0>\\", _SPAN.sub(r"\\\g<0>", " ".join(visible(text).split())))


def bulleted(lines: Iterable[str]) -> str:
    """Foreign lines as a list; empty where there are none."""
    return "\n".join(f"- {plain(line)}" for line in lines)


def picture(alternative: str, svg: str) -> str:
    """A drawing as an image with embedded data: Dagster's web UI shows it, most other viewers do not."""
    return f"![{alternative}](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"
