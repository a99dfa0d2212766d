"""What is known about a rated item besides its ratings: its words, and what the agent itself reports of its effect."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any


@dataclass(frozen=True)
class RatedItem:
    """One reply that people rated; users of this class map its blind id to it.

    `effectiveness` is the agent's own PAD effectiveness, 0–1, where it reports one. `attention` holds the answers that
    an attention item asks for (a dimension to its mark, `overall` to its answer); it is empty for every other item.
    `words` is the number to read before rating, 0 where no text is known. `agent_version` and `scenario` are those of
    the reply, as far as they are known; raters must not see them.
    """

    input: str | None = None
    reply: str | None = None
    words: int = 0
    effectiveness: float | None = None
    attention: Mapping[str, int | str] = field(default_factory=dict)
    agent_version: str | None = None
    scenario: str | None = None


_UNSPACED = (
    (re.compile("[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"), 1 / 2),
    (re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]"), 1 / 5),
)
"""Scripts without spaces between words, and the number of words per character.

Han and kana: the reading speeds of Chinese and Japanese in words and in characters (IReST, Trauzettel-Klosinski and
Dietz 2012, doi:10.1167/iovs.11-8284, table 2) give somewhat less than two characters per word. Thai, Lao, Burmese and
Khmer are alphabets: five characters, the typist's standard word.
"""


def words_to_read(*texts: str) -> int:
    """The number of words: those between spaces and, for scripts without spaces, by the number of characters."""
    text, words = " ".join(texts), 0.0
    for script, share in _UNSPACED:
        text, characters = script.subn(" ", text)
        words += share * characters
    return ceil(words) + sum(any(map(str.isalnum, part)) for part in text.split())


def reported_effectiveness(events: Iterable[Any]) -> float | None:
    """The PAD effectiveness, 0–1, of the last event that has one; None where none has.

    It is the field `effectiveness` of an event or of its `metrics`. It is computed from the mood of the person's words,
    not from the reply, so it need not agree with what raters say.
    """
    found = [_of(event) for event in events]
    return next((value for value in reversed(found) if value is not None), None)


def _of(event: Any) -> float | None:
    match event:
        case {"effectiveness": value} | {"metrics": {"effectiveness": value}}:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return float(value) if is_number and 0 <= value <= 1 else None
    return None
