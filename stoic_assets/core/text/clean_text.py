"""Hostile text made harmless, and the forms in which texts are compared when it does not matter how they are set.

In clean text nothing is invisible, or poses as a marker of the record or of a chat template.
"""

import re
import unicodedata
from functools import lru_cache

from stoic_assets.core.text.foreign_text import INVISIBLE

_TERMINAL_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
_LINE_ENDS = "\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_LINE_END = re.compile(f"\r\n|[{_LINE_ENDS}]")
_HIDDEN = f"{INVISIBLE}\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f"
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
_BLANK_LINES = re.compile(r"\n{3,}")
# Runs of angle brackets, and control tokens of common chat templates: some model servers interpret them in plain text.
_MARKER = re.compile(
    r"[<＜﹤]{3,}|[>＞﹥]{3,}|[<＜﹤][|｜][>＞﹥]?|[|｜][>＞﹥]|</?s>|</?(?:start|end)_of_turn>|</?(?:think|tool_call)>|<</?SYS>>"
    r"|[\[［]/?INST[\]］]",
    re.IGNORECASE,
)
_SUSPECT = re.compile(f"[{_HIDDEN}{_LINE_ENDS}<＜﹤>＞﹥\\[［]")
"""Every text that cleaning changes contains one of these, or three line ends. Most texts contain none."""
_HARMLESS = str.maketrans("<＜﹤>＞﹥[［]］", "‹‹‹›››(())")


def clean(text: str) -> str:
    """The text without control, bidirectional, zero-width and other invisible characters, and with markers defused.

    Cleaning twice changes nothing more.
    """
    if not _SUSPECT.search(text) and "\n\n\n" not in text:
        return text
    text = _LINE_END.sub("\n", _TERMINAL_ESCAPE.sub("", text))
    text = _MARKER.sub(lambda marker: marker.group().translate(_HARMLESS), _INVISIBLE.sub("", text))
    return _BLANK_LINES.sub("\n\n", text)


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
