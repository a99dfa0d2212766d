"""The form in which texts are compared when only their letters, digits and punctuation matter."""

import re
import unicodedata
from functools import lru_cache

from stoic_assets.core.judging.fence import clean

_ACUTE = "´"  # before normalisation, which makes it a space and a combining mark
_QUOTES = re.compile("[\"'`‘’‚‛“”„‟′″‹›«»]+")
_DASHES = re.compile("[-‐‑‒–—―−]+")
_POWER = re.compile(r"(?<=\d)(?=[⁺⁻⁰¹²³⁴-⁹])")


@lru_cache(maxsize=512)  # the same record serves five virtues and every sample
def normalised(text: str, ignored: str = "") -> str:
    """The text regardless of case, white space, the kinds of quotation marks and dashes, and invisible characters.

    The characters in `ignored` do not count either. `10²` becomes `10^2`, so that it is not `102`.
    """
    text = _POWER.sub("^", clean(text).replace(_ACUTE, "'"))
    text = unicodedata.normalize("NFKC", text).casefold().translate(dict.fromkeys(map(ord, ignored)))
    return " ".join("-".join(part.strip() for part in _DASHES.split(_QUOTES.sub("'", text))).split())
