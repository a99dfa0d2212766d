"""The forms in which texts are compared when it does not matter how they are set."""

import re
import unicodedata
from functools import lru_cache

from stoic_assets.core.clean_text import clean

_ACUTE = "´"  # before normalisation, which makes it a space and a combining mark
_ALIKE = str.maketrans("`´‘’‚‛′‹›“”„‟″«»‐‑‒–—―−", "'" * 9 + '"' * 7 + "-" * 7)
"""Quotation marks and dashes, each to the plain one."""
_MARKDOWN = dict.fromkeys(map(ord, "*_#\\"))
_QUOTES = re.compile("[\"'`‘’‚‛“”„‟′″‹›«»]+")
_DASHES = re.compile("[-‐‑‒–—―−]+")
_POWER = re.compile(r"(?<=\d)(?=[⁺⁻⁰¹²³⁴-⁹])")


def plainly_set(text: str) -> str:
    """The text regardless of case, white space, composition, and the kinds of quotation marks and dashes.

    Each stays one: in `---END---` no other text may be found, such as `front-end -`.
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(_ALIKE)).casefold().split())


@lru_cache(maxsize=512)  # the same record serves five virtues and every sample
def searchable(text: str) -> str:
    """The form in which quotes are looked for: regardless, too, of Markdown signs, invisible characters, full-width
    forms, and how many quotation marks, dashes and blanks stand together. `10²` becomes `10^2`, so it is not `102`.
    """
    text = _POWER.sub("^", clean(text).replace(_ACUTE, "'"))
    text = unicodedata.normalize("NFKC", text).casefold().translate(_MARKDOWN)
    return " ".join("-".join(part.strip() for part in _DASHES.split(_QUOTES.sub("'", text))).split())
