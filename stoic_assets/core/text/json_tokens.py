"""Edits JSON where it stands: parsed, it would lose values under a repeated key, and its spelling."""

import json
import re
from collections.abc import Callable

from stoic_assets.core.text.json_text import json_text

Token = re.Match[str]
"""A `key` with its quotes, a `text`, `number`, `bracket` or `word`: its last group is what it is."""
_TOKEN = re.compile(
    r"""(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+"?+)(?=\s*+:\s*+(?P<key>)|)"""  # an unclosed one too: else time is quadratic
    r"|(?P<number>-?[0-9][0-9.eE+-]*+)|(?P<bracket>[][{}])|(?P<word>[A-Za-z]+)",
    re.DOTALL,
)


def edited(written: str, change: Callable[[Token, str, str], str | None]) -> str:
    """Valid JSON with a text in place of each key, text and number for which `change` has one.

    `change` is given the token, what it says, and its key, which the values of a list have from the list: empty without
    one, or where the key was changed. Brackets and words (`true`, `null`, `NaN`) stay.
    """
    key, outer = "", list[str]()

    def clean(token: Token) -> str:
        nonlocal key
        spelt, kind = token[0], token.lastgroup
        if kind == "word":
            return spelt
        if kind == "bracket":
            if spelt in "[{":
                outer.append(key)
            else:
                key = outer.pop()
            return spelt
        held = _plain(spelt) if kind == "number" else json.loads(spelt) if "\\" in spelt else spelt[1:-1]
        shown = change(token, held, key)
        if kind == "key":
            key = held if shown is None else ""
        return spelt if shown is None else json_text(shown)

    return _TOKEN.sub(clean, written)


def _plain(number: str) -> str:
    """A number of JSON without its exponent, if it is not too large for that."""
    return str(float(number)) if "e" in number.lower() else number


def replaced_where(pattern: re.Pattern[str], written: str, instead: str) -> str:
    """Valid JSON with `instead` for each text and number that a match of `pattern` touches.

    A key is replaced only where no match goes on into its value.
    """
    matches = [found.span() for found in pattern.finditer(written)]
    at = 0

    def change(token: Token, held: str, key: str) -> str | None:
        nonlocal at
        while at < len(matches) and matches[at][1] <= token.start():
            at += 1
        if at == len(matches) or matches[at][0] >= token.end():
            return None
        reaches_value = token.lastgroup == "key" and matches[at][1] > token.end("key")
        return None if reaches_value else instead

    return edited(written, change) if matches else written
