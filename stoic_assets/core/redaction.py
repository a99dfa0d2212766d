"""Blanking of secrets in everything that is stored, shown or sent to a judge."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from stoic_assets.core.errors import ConfigurationError

BLANK = "[redacted]"
SHORT = 64
"""Characters of texts that are likely to come again."""


class Redactor:
    """Blanks what matches a pattern, and the literal values of known secrets (keys, passwords)."""

    def __init__(self, patterns: Iterable[str], secrets: Iterable[str] = ()) -> None:
        # The longest first: a secret that begins like a longer one would leave the rest of that one visible.
        literals = [re.escape(secret) for secret in sorted(secrets, key=len, reverse=True) if len(secret) >= 4]
        try:
            compiled = [re.compile(pattern) for pattern in patterns]
        except re.error as error:
            problem = f"{error.pattern!r} is not a regular expression: {error}"
            raise ConfigurationError(f"stoic.yml: redact: {problem}") from None
        self._patterns = compiled + ([re.compile("|".join(literals))] if literals else [])
        self._short = lru_cache(maxsize=4096)(self._blanked)  # the same keys, names and numbers in every entry and row

    def text(self, text: str) -> str:
        """`text` without its secrets."""
        return self._short(text) if len(text) <= SHORT else self._blanked(text)

    def _blanked(self, text: str) -> str:
        for pattern in self._patterns:
            text = pattern.sub(BLANK, text)
        return text

    def data(self, value: Any) -> Any:
        """JSON-like data with every text in it redacted, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._member(str(key), item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        return value

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A table's row with every text in it redacted; column names stay, and what is JSON stays JSON."""
        return {column: self._cell(value) for column, value in row.items()}

    def _member(self, key: str, value: Any) -> Any:
        """The value of `key`; blank where a pattern wants both, as one does that looks for `password=…`."""
        cleaned = self.data(value)
        if type(value) in (str, int, float) and cleaned == value:
            together = f"{key}={value}"
            return cleaned if self.text(key) != key or self.text(together) == together else BLANK
        return cleaned

    def _cell(self, value: Any) -> Any:
        """JSON is redacted as the data that it holds: a pattern does not stop at a bracket."""
        if not isinstance(value, str) or not value.startswith(("{", "[", '"')):
            return self.data(value)
        try:
            held = json.loads(value)
        except (ValueError, RecursionError):
            return self.text(value)
        cleaned = self.data(held)
        return value if cleaned == held else json.dumps(cleaned)
