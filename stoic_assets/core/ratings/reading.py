"""How much there is to read in a text, for the check of raters' pace and for the page's stopwatch."""

import re
from math import ceil

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
