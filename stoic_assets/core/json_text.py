"""JSON that people also read: in tables, reports and a terminal."""

import json
from typing import Any

from stoic_assets.core.visible_text import coded


def json_text(value: Any, *, allow_nan: bool = True) -> str:
    """The value as JSON on one line, in characters that can be read. It encodes to UTF-8.

    Invisible characters and halves of surrogate pairs are escaped. Raises ValueError for a number that is not finite,
    unless `allow_nan`.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=allow_nan)
    return text if text.isascii() and text.isprintable() else coded(text, lambda unseen: json.dumps(unseen)[1:-1])
