"""How a secret may be spelt where other programs wrote it."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

_ESCAPED = [{ord(sign): form.format(ord(sign)) for sign in "+&<>'"} for form in ("\\u{:04x}", "\\u{:04X}")]
"""Characters that Go and .NET escape in JSON unnecessarily."""
_ESCAPE = re.compile("%[0-9A-F]{2}")


def spellings(secret: str) -> Iterator[str]:
    """The spellings of a secret: plain, in JSON, in an address, and in base64, also as part of a longer text."""
    for in_json in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield from (in_json, in_json.replace("/", r"\/"), *map(in_json.translate, _ESCAPED))
    for in_address in (*(form(secret, safe, errors="replace") for form in (quote, quote_plus) for safe in ("", "/")),):
        yield from (in_address, _ESCAPE.sub(lambda found: found[0].lower(), in_address))
    for before in range(3):
        # Preceding bytes shift all letters; the first and the last letter also depend on the neighbours.
        held = bytes(before) + secret.encode("utf-8", "replace")
        alone = b64encode(held)[-(-before * 8 // 6) : len(held) * 8 // 6].decode()
        yield from (alone, alone.replace("+", "-").replace("/", "_"))
