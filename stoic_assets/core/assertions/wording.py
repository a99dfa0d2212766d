"""How an assertion is called: results know it by its name in the job, else by its number there."""

from collections.abc import Mapping
from typing import Any


def has_name(assertion: str) -> bool:
    """Whether that by which results know an assertion is a name, and not its number."""
    return not assertion.isdecimal()


def name_or_text(assertion: str, text: str) -> str:
    """Its name, else its text as it is written: a number says nothing to whoever does not have the job."""
    return assertion if has_name(assertion) else text


def label(assertion: str, text: str) -> str:
    """Its name, else its number and its text on one line."""
    return assertion if has_name(assertion) else f"{assertion}: {_on_one_line(text)}"


def failure(assertion: Mapping[str, Any]) -> str:
    """Its text on one line, after its name where it has one, and what was wrong.

    `assertion` is an entry of the evaluation document.
    """
    name, text = assertion["name"], _on_one_line(assertion["text"])
    called = f"{name}: {text}" if has_name(name) else text
    return f"{called}  ({assertion['error'] or 'it was false'})"


def fault(result: Mapping[str, Any]) -> str | None:
    """What went wrong in an assertion; None where its columns `expected` and `actual` say the same."""
    error = result.get("error")
    return None if error == f"expected {result.get('expected')}, got {result.get('actual')}" else error


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
