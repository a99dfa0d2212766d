"""Foreign text for a reader: characters that hide or reorder text are shown as codes.

The template engine escapes HTML. Joiners and variation selectors stay: emoji and several scripts need them, and they
neither hide nor reorder anything.
"""

import re

_LINE_END = re.compile("\r\n?")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text with every invisible character as a code, `[U+202E]`; line feeds and tabs stay. It encodes to UTF-8."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: f"[U+{ord(found.group()):04X}]", _LINE_END.sub("\n", text))
