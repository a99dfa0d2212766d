"""How secrets look: those that are known without any setting, and one that is known where other programs wrote it."""

import json
import re
import warnings
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache

BUILT_IN = (
    # Not at the end of a word, as in `task-` and an id; but after `\n`, `%3D` and the colour of a terminal. What stands
    # before is looked at last: of a text of 200 kB, looked at first, it takes 30 ms instead of 0.2.
    r"sk-(?:(?<![^\W\d_]sk-)|(?<=\\[bfnrt]sk-|\d[A-Fa-fm]sk-))[A-Za-z0-9_-]{16,}",
    r"(?i)bearer\s+[A-Za-z0-9._~+/-]{16,}=*",
    r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)",
    # After a bare colon, as in "your password: open Settings", an ordinary word is no secret. Without a bound
    # on this search, 50 kB of "password:password:…" take 2 s, and 1 MB a quarter of an hour.
    r'''(?i)pass(?:word|wd|phrase)(?:["']?\s*=\s*["']?|["']\s*:\s*["']?|\s*:\s*["'])[^\s"',;]{4,}''',
    r'''(?i)pass(?:word|wd|phrase)\s*:\s*(?=[^\s"',;]{0,64}[\d@#$%^&_+~])[^\s"',;]{4,}''',
)
"""API keys of OpenAI's form, bearer tokens, passwords in addresses, and words after the word password."""


def check_pattern(text: str) -> str:
    """The regular expression of a secret itself. Raises ValueError for one that is none, or matches where none is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # `[[a]` is a set in a set for a later Python
            matches_nothing = re.search(text, "") is not None
    except (re.error, OverflowError, RecursionError, FutureWarning) as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    if matches_nothing:  # as after a `|` too many; it would blank every place between two characters
        raise ValueError(f"{text!r} matches the empty text; a secret has at least one character")
    return text


_ESCAPED = [{ord(sign): form.format(ord(sign)) for sign in "+&<>'"} for form in ("\\u{:04x}", "\\u{:04X}")]
"""Characters that Go and .NET escape in JSON unnecessarily."""


def spellings(secret: str) -> Iterator[str]:
    """The spellings of a secret that are searched for as they are: plain, in JSON, and in base64 without line ends."""
    for in_json in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield from (in_json, in_json.replace("/", r"\/"), *map(in_json.translate, _ESCAPED))
    yield from _in_base64(secret)


@lru_cache(maxsize=8)  # made once a text needs it: for four keys it takes 7 ms
def in_addresses(secrets: frozenset[str]) -> re.Pattern[str]:
    """Finds secrets of which any characters are escaped as in URLs: programs differ in which ones they escape."""
    return _any_of("".join(map(_in_address, secret)) for secret in secrets)


@lru_cache(maxsize=8)  # 60 ms
def in_wrapped_base64(secrets: frozenset[str]) -> re.Pattern[str]:
    """Finds secrets in base64 of which lines end anywhere, as in mails and keys."""
    spelt = (each for secret in secrets for each in _in_base64(secret))
    return _any_of(r"(?:\r?\n[ \t]*)?".join(map(re.escape, each)) for each in spelt)


def _in_base64(secret: str) -> Iterator[str]:
    """What is in base64 of any text that contains the secret, in both alphabets."""
    for before in range(3):
        # Preceding bytes shift all letters; the first and the last letter also depend on the neighbours.
        held = bytes(before) + secret.encode("utf-8", "replace")
        alone = b64encode(held)[-(-before * 8 // 6) : len(held) * 8 // 6].decode()
        yield from (alone, alone.replace("+", "-").replace("/", "_"))


def _in_address(letter: str) -> str:
    """A character, or its bytes in hexadecimal digits; of a blank also the plus sign of forms."""
    escaped = "".join(f"%{byte:02x}" for byte in letter.encode("utf-8", "replace"))
    blank = r"|\+" if letter == " " else ""
    return f"(?:{re.escape(letter)}|(?i:{escaped}){blank})"


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """The longest first: a secret that begins like a longer one would leave the rest of that one visible."""
    return re.compile("|".join(sorted(patterns, key=len, reverse=True)) or r"(?!)")
