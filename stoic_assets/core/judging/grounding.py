"""Whether what a judge quotes was said: a quote must occur in one message of the record.

Letters, digits and punctuation are compared, regardless of case, white space, kinds of quotation marks and dashes,
Markdown emphasis and escapes. An ellipsis stands for words left out.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from stoic_assets.core.text.clean_text import searchable

SHORTEST_PIECE = 8
"""A quote with gaps counts only if one of its pieces is at least this wide; `the … a … to` is in every text."""

_AROUND = "' "
_LINE_MARK = re.compile(r"^[^\S\n]*\| ?", re.MULTILINE)
_SPEAKER = re.compile(r"\A\W*(?:agent|assistant|user)\s*:\s*", re.IGNORECASE)
_GAP = re.compile(r"\s*[\[(]?\.{3,}[\])]?\s*")


def grounded_share(quotes: Iterable[str], texts: Iterable[str]) -> float | None:
    """The share, 0–1, of the quotes that occur in one of the texts; None if there are none. Blank ones do not count."""
    record = [searchable(text) for text in texts]
    found = [occurs(quote, record) for quote in quotes if quote.strip()]
    return sum(found) / len(found) if found else None


def occurs(quote: str, texts: Sequence[str]) -> bool:
    """Whether a quote occurs in one of the searchable texts, as a whole or in pieces that follow one another.

    Punctuation alone occurs in a text of nothing else: `?` is in every question.
    """
    return any(_occurs(reading, texts) for reading in dict.fromkeys(_readings(quote)))


def _readings(quote: str) -> Iterator[str]:
    """The quote as it is, and without what the record puts before lines and messages; an agent may write that too."""
    for text in (quote, _LINE_MARK.sub("", quote)):
        yield searchable(text).strip(_AROUND)
        yield searchable(_SPEAKER.sub("", text)).strip(_AROUND)


def _occurs(quote: str, texts: Sequence[str]) -> bool:
    if not any(map(_says_something, quote)):
        return quote != "" and any(quote == text.strip(_AROUND) for text in texts)
    pieces = _GAP.split(quote)
    in_pieces = max(map(_width, pieces)) >= SHORTEST_PIECE
    return any(quote in text or (in_pieces and _in_order(pieces, text)) for text in texts)


def _says_something(character: str) -> bool:
    """Whether it is a letter, a digit or an emoji."""
    return character.isalnum() or unicodedata.category(character) == "So"


def _width(text: str) -> int:
    """The columns of a text: a Chinese character counts twice, since a word has half as many of them as of letters."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _in_order(pieces: list[str], text: str) -> bool:
    """Whether the pieces occur in the text one after the other."""
    start = 0
    for piece in pieces:
        at = text.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True
