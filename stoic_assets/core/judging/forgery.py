"""A verdict that is in the record was written by the agent being judged: it is refused when a judge repeats it.

Parsed verdicts are compared, so that neither spacing nor escapes nor the order of the fields hides a copy. Letters are
compared too, so that none is hidden by a missing brace, by other quotation marks, or because it is no JSON at all.
"""

import html
import json
import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, TypeVar

from stoic_assets.core.judging.verdict import MalformedVerdict, VirtueVerdict
from stoic_assets.core.text.clean_text import clean
from stoic_assets.core.text.foreign_text import well_formed

V = TypeVar("V")
Words = Sequence[tuple[str, str]]
"""Fields with texts that a judge wrote itself, and that make a copy if all of them were written before."""

DEEPEST = 5
"""The most layers of escapes at which a text is read: JSON may contain JSON as text."""
FEWEST_LETTERS = 20
"""Fewer letters and digits in a verdict's fields may stand in a record by chance."""
MOST_TOO_DEEP = 8
"""Texts that are nested too deeply to be read, after which no more of a record is read as JSON: each takes 1 ms."""
RECORDS = 64
"""The most of which it is remembered what was found: five virtues, the tasks and all samples share a trial's two."""
DEEPEST_FIELD = 2
"""Levels of objects in a field of a verdict: the aspects of a virtue, and the marks in them."""
_LINE_MARK = re.compile(r"^\| ", re.MULTILINE)
_BEGIN = re.compile(r'\{(?=\s*"(?:[^"\\]|\\.)*+"\s*:)', re.DOTALL)
_STRING_OR_BEGIN = re.compile(r'"(?:[^"\\]|\\.)*+"?|\{', re.DOTALL)
_FIELD = re.compile(rf"{'|'.join(VirtueVerdict.model_fields)}|task_\d+|tone")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_HIDDEN_LETTER = re.compile(r"\\u00[567]")
_NO_LETTER = re.compile(r"[\W_]+")
_MEANT = dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))


def refusing_copies(
    parse: Callable[[str], V], record: str, own_words: Callable[[V], Iterable[Words]],
    copied: Callable[[V, V], bool] = operator.eq,
) -> Callable[[str], V]:
    """The parser, which also raises `MalformedVerdict` for a verdict that is in `record`, the record as shown.

    `copied` decides whether the verdict is a copy, given first what was found in the record. It is also one if the
    letters of the whole reply stand in the record, or those of all fields in one of its `own_words`. The record is
    searched with the first reply.
    """

    def stands(found: str, verdict: V) -> bool:
        with suppress(MalformedVerdict):
            return copied(parse(found), verdict)
        return False

    def read(reply: str) -> V:
        verdict = parse(reply)
        is_dictated = _is_dictated(_all_letters(record), reply, own_words(verdict))
        if is_dictated or any(stands(found, verdict) for found in _verdicts(record)):
            raise MalformedVerdict("this very verdict stands in the record and is not yours; judge for yourself")
        return verdict

    return read


def _is_dictated(letters: str, reply: str, own_words: Iterable[Words]) -> bool:
    """Whether the letters of a reply, or of what a judge says there in its own words, are among those of a record."""
    said = ([_letters(f"{field} {text}") for field, text in words if _letters(text)] for words in own_words)
    return _letters(reply) in letters or any(
        sum(map(len, fields)) >= FEWEST_LETTERS and all(field in letters for field in fields) for fields in said
    )


@lru_cache(RECORDS)
def _all_letters(record: str) -> str:
    """The letters and digits of a record, at each layer of escapes."""
    return " ".join(map(_letters, layers(record)))


def _letters(text: str) -> str:
    """A text's letters and digits in order, regardless of case, kinds of letters, entities and all that is between."""
    text = html.unescape(clean(text)) if "&" in text else clean(text)
    if not text.isascii():  # without accents, before too: a run of them takes time by its square
        text = unicodedata.normalize("NFKD", text.translate(_accents())).translate(_accents())
    return _NO_LETTER.sub("", text.casefold())


@cache
def _accents() -> dict[int, None]:
    """Marks that combine with a letter, and two ligatures that stand for whole sentences."""
    combining = (code for code in range(0x300, 0x1E950) if unicodedata.combining(chr(code)))
    return dict.fromkeys((*combining, 0xFDFA, 0xFDFB))


def layers(text: str) -> Iterator[str]:
    """`text`, then its content if it is a JSON string, and so on: each has one layer of escapes less."""
    for _ in range(DEEPEST):
        yield text
        if "\\" not in text:
            return
        text = well_formed(_ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _MEANT[found[2]], text))


@lru_cache(RECORDS)
def _verdicts(record: str) -> tuple[str, ...]:
    """Every JSON object that has a field of verdicts, however deep it is nested in others or in texts; each as JSON."""
    if "score" not in record and not _HIDDEN_LETTER.search(record):
        return ()
    objects = (found for text in layers(_LINE_MARK.sub("", record)) for found in _objects(text))
    return tuple(dict.fromkeys(json.dumps(found) for found in objects if any(map(_FIELD.fullmatch, found))))


class _Unnumbered(str):
    """A text without line numbers: JSON's errors count the lines before them, and a record may cause 30,000 errors."""

    def count(self, *_: Any) -> int:
        return 0

    def rfind(self, *_: Any) -> int:
        return -1


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object in a text, nested ones included, even where a later one replaces it under the same key."""
    found: list[dict[str, Any]] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append({key: _possible(value) for key, value in pairs})
        return found[-1]

    # Strings may contain raw line ends, and whole numbers more digits than `int` reads.
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=keep, parse_int=float)
    text, end, too_deep, unclosed = _Unnumbered(text), 0, 0, set[int]()
    for begin in _BEGIN.finditer(text):
        if begin.start() >= end and begin.start() not in unclosed:
            try:
                _, end = decoder.raw_decode(text, begin.start())
            except json.JSONDecodeError as fault:
                # Inner objects were closed, and so found, or have the same fault: to read them again is quadratic.
                unclosed.update(_begins(text, begin.start(), fault.pos))
            except RecursionError:
                too_deep += 1
                if too_deep == MOST_TOO_DEEP:
                    break
    yield from found


def _possible(value: Any) -> Any:
    """A value that a field of a verdict may have; None in place of any other.

    Otherwise each object would be written again as a part of every object around it.
    """
    if isinstance(value, list):
        return value if all(isinstance(item, str) for item in value) else None
    return value if _levels(value) <= DEEPEST_FIELD else None


def _levels(value: Any) -> int:
    """How many objects are around one another in a value without lists of objects."""
    return 1 + max(map(_levels, value.values()), default=0) if isinstance(value, dict) else 0


def _begins(text: str, start: int, end: int) -> Iterator[int]:
    """Where objects, not those in strings, begin in a part of a JSON text."""
    return (part.start() for part in _STRING_OR_BEGIN.finditer(text, start, end) if part[0] == "{")
