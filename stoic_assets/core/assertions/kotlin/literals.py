"""Kotlin literals, from their text to their value: numbers, and the characters between the quotes of a string.

Faults are `LiteralError`, with their offset; `syntax` adds line and column.
"""

import math
import re
from collections.abc import Iterator

from stoic_assets.core.assertions.kotlin.expression import Literal, Name
from stoic_assets.core.errors import ConfigurationError

LARGEST_LONG = 2**63 - 1

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F][0-9a-fA-F_]*|0[bB][01][01_]*|0|[1-9][0-9_]*)L?")
_EXPONENT = r"[eE][+-]?[0-9][0-9_]*"
_DOUBLE = re.compile(rf"[0-9_]*\.[0-9][0-9_]*({_EXPONENT})?|[0-9][0-9_]*{_EXPONENT}")
_NAME = r"\$(?P<name>[^\W\d]\w*|`[^`\r\n]+`)"
_RAW = re.compile(rf"{_NAME}|(?P<text>[^$]+|\$)")
_PLAIN = re.compile(rf"{_NAME}|(?P<text>[^$\\\r\n]+|\$)|\\u(?P<code>[0-9a-fA-F]{{4}})|\\(?P<escape>[tbnr'\"\\$])")
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r"}


class LiteralError(ConfigurationError):
    """The text is no literal of a supported kind; `offset` counts characters from its start."""

    def __init__(self, problem: str, offset: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.offset = problem, offset


def number(text: str) -> int | float:
    """The value of a number; Int and Long are one 64-bit kind here. Raises `LiteralError`."""
    digits = text.replace("_", "")
    if _INTEGER.fullmatch(text):
        whole = int(digits.removesuffix("L"), 0)
        if whole > LARGEST_LONG:
            raise LiteralError(f"the number does not fit into 64 bits; the largest is {LARGEST_LONG}")
        return whole
    if not _DOUBLE.fullmatch(text):
        raise LiteralError(f"`{text}` is not a supported number; write an Int, a Long or a Double, as in 1, 1L or 1.0")
    if math.isinf(value := float(digits)):
        raise LiteralError("the number is larger than any Double")
    return value


def string_parts(text: str, raw: bool) -> Iterator[tuple[Literal | Name, int]]:
    """The characters of a string between its quotes and `${…}` holes: text and `$name` references, with their offsets.

    `raw` is for strings in three quotes, where a backslash is a backslash. Raises `LiteralError`.
    """
    collected = ""
    for match in _matches(_RAW if raw else _PLAIN, text):
        found = match.groupdict()
        if found["name"]:
            yield _literal(collected, match.start())
            yield Name(found["name"].strip("`")), match.start()
            collected = ""
        elif found.get("code"):
            collected += chr(int(found["code"], 16))
        else:
            collected += found["text"] or _ESCAPES.get(found["escape"], found["escape"])
    yield _literal(collected, len(text))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Consecutive matches that cover all of `text`."""
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None and text[at] == "\\":
            raise LiteralError(r"unknown escape; there are \t \b \n \r \' \" \\ \$ and \u with four digits", at)
        if match is None:
            raise LiteralError('a string over several lines is written in """three quotes"""', at)
        yield match
        at = match.end()


def _literal(characters: str, end: int) -> tuple[Literal, int]:
    r"""Text as one literal; two \u escapes may be the halves of one character, as in UTF-16."""
    try:
        return Literal(characters.encode("utf-16", "surrogatepass").decode("utf-16")), end
    except UnicodeDecodeError:
        raise LiteralError(r"a \u escape stands for half a character only", max(end - 1, 0)) from None
