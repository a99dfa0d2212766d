"""A failed assertion in words: the same in terminal and test report."""

from collections.abc import Mapping
from typing import Any


def in_words(assertion: Mapping[str, Any]) -> str:
    """Its text on one line, after its name where it has one, and what was wrong.

    `assertion` is an entry of the evaluation document.
    """
    name, text = assertion["name"], " ".join(assertion["text"].split())
    named = text if name.isdecimal() else f"{name}: {text}"
    return f"{named}  ({assertion['error'] or 'it was false'})"
