"""Whether what a judge quotes was said: a quote must occur in one message of the record.

Letters, digits and punctuation are compared, regardless of case, white space, kinds of quotation marks and dashes,
Markdown emphasis and escapes. An ellipsis stands for words left out.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from stoic_assets.core.judging.fence import clean

SHORTEST_PIECE = 8
"""A quote with gaps counts only if one of its pieces has at least this length; `the … a … to` is in every text."""

_QUOTES = re.compile("[\"'`´‘’‚‛“”„‟′″‹›«»]+")
_DASHES = re.compile("[-‐‑‒–—―−]+")
_DROPPED = re.compile(r"[*_#\\]+")
_LINE_MARK = re.compile(r"^\s*\| ?", re.MULTILINE)
_SPEAKER = re.compile(r"\A\W*(?:agent|assistant|user)\s*:\s*", re.IGNORECASE)
_GAP = re.compile(r"\s*[\[(]?\.{3,}[\])]?\s*")


def grounded_share(quotes: Iterable[str], texts: Iterable[str]) -> float | None:
    """The share, 0–1, of the quotes that occur in one of the texts; None if there are none. Blank ones do not count."""
    record = [normalised(text) for text in texts]
    found = [occurs(quote, record) for quote in quotes if quote.strip()]
    return sum(found) / len(found) if found else None


def occurs(quote: str, texts: Iterable[str]) -> bool:
    """Whether a quote occurs in one of the normalised texts, as a whole or in pieces that follow one another."""
    quote = normalised(_SPEAKER.sub("", _LINE_MARK.sub("", quote))).strip("' ")
    if not any(character.isalnum() for character in quote):
        return False
    pieces = [piece for piece in _GAP.split(quote) if piece]
    in_pieces = max(map(len, pieces)) >= SHORTEST_PIECE
    return any(quote in text or (in_pieces and in_order(pieces, text)) for text in texts)


def in_order(pieces: list[str], text: str) -> bool:
    """Whether the pieces occur in the text one after the other."""
    start = 0
    for piece in pieces:
        at = text.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True


@lru_cache(maxsize=512)  # the same record serves five virtues and every sample
def normalised(text: str) -> str:
    """The text in the form in which it is compared."""
    text = unicodedata.normalize("NFKC", clean(text)).casefold()
    text = _QUOTES.sub("'", _DROPPED.sub("", text))
    return " ".join("-".join(part.strip() for part in _DASHES.split(text)).split())
