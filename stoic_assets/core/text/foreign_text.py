"""Foreign text: for a reader, with codes for characters that hide or reorder text, and in a form that UTF-8 can encode.

The template engine escapes HTML. Joiners stay, and so does what emoji and several scripts need: a variation selector
after the character that it varies, and the tags of a flag. Anywhere else these two can hide whole sentences.
"""

import re
from collections.abc import Callable

FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,4}\U000e007f"
"""A pattern for the flag of a part of a country: a black flag and, in invisible tags, its code, such as `gbsct`."""

INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that are hidden wherever they stand, to be written between the brackets of a pattern."""

_LINE_END = re.compile("\r\n?")
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_UNSEEN = re.compile(
    f"({FLAG}|(?<={_IDEOGRAPH})[\U000e0100-\U000e01ef])|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f]|"
    f"[{INVISIBLE}\x0b-\x0d\u2028\u2029\ufffe\uffff]"
)


def visible(text: str) -> str:
    """The text with every invisible character as a code, `[U+202E]`; line feeds and tabs stay. It encodes to UTF-8."""
    if text.isascii() and text.isprintable():
        return text
    return coded(_LINE_END.sub("\n", text), lambda unseen: f"[U+{ord(unseen):04X}]")


def coded(text: str, code: Callable[[str], str]) -> str:
    """The text with `code` of every invisible character in its place."""
    return _UNSEEN.sub(lambda found: found[1] or code(found[0]), text)


def well_formed(text: str) -> str:
    """`text` with half a pair, as in an emoji that was cut, replaced by U+FFFD; two halves become their character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
