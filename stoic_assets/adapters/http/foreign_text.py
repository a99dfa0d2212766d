"""Text and JSON from foreign services, made safe for all later stages to store and show."""

import json
import math
import re
from collections.abc import Iterator
from html import unescape
from itertools import count
from typing import Any

from stoic_assets.core.errors import StoicError
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.core.text.foreign_text import well_formed

EXCERPT = 200
"""The most characters of a foreign message that our errors quote."""
LOOKED_AT = 4000
"""The most characters read for that: text may come after blanks and markup, but not after megabytes of them."""
TOO_DEEP = "nested too deeply"
LEVELS = 100
"""How deep foreign JSON may be nested: all later code that walks through it recurses, even JSON's writer."""
MOST_VALUES = 100_000
"""The most values in one piece of foreign JSON, containers included: a million values, in 3 MB, take 1 GB."""
# What hardly any key or password contains: blanks, what surrounds values, and the letters of scripts without blanks.
_WHOLE = r'\s"<>\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffff'
_MARKUP = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)
_TORN = re.compile(f"(?<![^{_WHOLE}])[^{_WHOLE}]+$")


class TooManyValues(StoicError):
    """JSON with so many `values` that it takes too much memory."""

    def __init__(self, values: int) -> None:
        super().__init__(f"{values:,} values")
        self.values = values


def parse_json(body: bytes, most_values: int = MOST_VALUES) -> Any:
    """JSON whose texts are valid Unicode.

    Raises ValueError for anything else, including NaN, numbers beyond all bounds and too deep nesting, and
    `TooManyValues` beyond `most_values`.
    """
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
        try:
            return _repaired(value, LEVELS, count(1), most_values)
        except TooManyValues:
            raise TooManyValues(_values_in(value)) from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def part_of(value: Any, *path: str | int) -> Any:
    """The value at `path` in foreign JSON; None where there is none."""
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def instead_of_json(error: ValueError) -> str:
    """The text in which no JSON was found, as far as it can be read; empty if the fault was a value in the JSON."""
    if isinstance(error, UnicodeDecodeError):
        return bytes(error.object).decode(error.encoding, "replace")
    return error.doc if isinstance(error, json.JSONDecodeError) else ""


def is_web_page(text: str) -> bool:
    """Whether a text begins as HTML does."""
    return text.lstrip().startswith("<")


def page_words(page: str) -> str:
    """What the beginning of a web page shows, on one line."""
    return " ".join(unescape(_MARKUP.sub(" ", shortened(page, LOOKED_AT))).split())


def excerpt(text: str, secrets: Redactor) -> str:
    """The beginning of a foreign message as one printable line without secrets, e.g. for an error."""
    head = secrets.text(shortened(text.lstrip(), LOOKED_AT))
    printable = "".join(letter if letter.isprintable() else " " for letter in head)
    line = " ".join(printable.split())
    return shortened(line, EXCERPT)


def shortened(line: str, longest: int) -> str:
    """`line`, or its beginning up to a whole word.

    A part of a key or of an address with a password matches no pattern, and would be stored.
    """
    return line if len(line) <= longest else _TORN.sub("", line[:longest]) + "…"


def _repaired(value: Any, levels: int, counted: Iterator[int], most_values: int) -> Any:
    """`value` with every text in it well-formed, keys included.

    Raises ValueError for more than `levels` levels or an infinite number, and `TooManyValues` once more than
    `most_values` are counted.
    """
    if (values := next(counted)) > most_values:
        raise TooManyValues(values)
    if isinstance(value, str):
        return well_formed(value)
    if not isinstance(value, list | dict):
        if isinstance(value, float) and math.isinf(value):  # 1e400, which no JSON could tell again
            raise ValueError("a number is too large")
        return value
    if levels == 0:
        raise ValueError(TOO_DEEP)
    if isinstance(value, list):
        return [_repaired(item, levels - 1, counted, most_values) for item in value]
    return {well_formed(key): _repaired(item, levels - 1, counted, most_values) for key, item in value.items()}


def _values_in(value: Any) -> int:
    """How many values the JSON contains, itself included."""
    found, left = 0, [value]
    while left:
        one = left.pop()
        found += 1
        if isinstance(one, list | dict):
            left += one.values() if isinstance(one, dict) else one
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
