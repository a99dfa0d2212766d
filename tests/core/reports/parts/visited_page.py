"""A report open in a browser, and what tests wait for or measure in it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)
LAID_OUT = ".trial[open], .flip[open] { content-visibility: visible }"
"""Without it nothing is laid out that is far out of view."""
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
"""Once a frame is drawn, the page knows the sizes of what is in it."""
PAPER = 700
"""A4 between its margins, in CSS pixels."""
IN_CHROMIUM = [pytest.mark.long, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")]
"""Marks of a file of such tests."""
Open = Callable[..., "Visit"]


@dataclass
class Visit:
    """An open page and what it did that it should not."""

    page: Any
    offences: list[str] = field(default_factory=list)
