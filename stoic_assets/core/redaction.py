"""Blanking of secrets in everything that is stored, shown or sent to a judge."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.table_rows import Row

BLANK = "[redacted]"
SHORT = 64
"""Up to this many characters, texts are likely to recur."""
OWN = frozenset(
    {
        "agent", "agent_id", "agent_model", "agent_version", "aspect", "assertion", "at", "base", "base_evaluation_id",
        "call_id", "candidate", "condition", "confidence_source", "delivered_at", "ended_at", "evaluated_at",
        "evaluation_id", "evaluator_model", "feedback_id", "given_at", "id", "idempotency_key", "job", "job_hash",
        "judge_model", "judge_models", "kind", "model", "name", "outcome", "page_id", "parents", "prompt_hash",
        "protocol", "rated_at", "rater_id", "reference_id", "released_at", "role", "scenario", "session_id", "source",
        "speaker", "spec_hash", "started_at", "status", "subject", "task_id", "task_ids", "test_id", "time",
        "timestamp", "trial", "trial_id", "trial_ids", "type", "uncertain_virtues", "virtue", "weak_virtues",
    }
)  # fmt: skip
"""Fields of ids, kinds, times and hashes, which must stay intact so that data can be found again: a known secret, such
as `reminder`, may be part of one."""
FOREIGN = frozenset({"actual", "context", "events", "expected", "parameters", "requirements", "result"})
"""Fields of foreign data, in which keys are redacted too."""
OWN_JSON = frozenset({"floors", "improvement_areas", "metrics", "objectives", "severity", "virtue_scores"})
"""Columns of JSON that Stoic Eval made: the names of fields in it stay, as in a row."""
_ESCAPED = [{ord(sign): form.format(ord(sign)) for sign in "+&<>'"} for form in ("\\u{:04x}", "\\u{:04X}")]
"""Characters that Go and .NET escape in JSON unnecessarily."""
_ESCAPE = re.compile("%[0-9A-F]{2}")
SHORTEST = 6
"""Characters of a known secret. A shorter key (`test`, `agent`) is a word: blanking it in what an agent said or did
would make true assertions fail."""


class Redactor:
    """Blanks what matches a pattern, and the literal values of known secrets (keys, passwords)."""

    def __init__(self, patterns: Iterable[str], secrets: Iterable[str] = ()) -> None:
        try:
            self._patterns = [re.compile(pattern) for pattern in patterns]
        except re.error as error:
            problem = f"{error.pattern!r} is not a regular expression: {error}"
            raise ConfigurationError(f"stoic.yml: redact: {problem}") from None
        self._known: set[str] = set()
        self._short = lru_cache(maxsize=4096)(self._blanked)  # the same keys, names and numbers in every entry and row
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Adds secrets that are blanked from now on."""
        self._known |= {secret for secret in secrets if len(secret) >= SHORTEST}
        # The longest first: a secret that begins like a longer one would leave the rest of that one visible.
        self._spelt = sorted({each for secret in self._known for each in spellings(secret)}, key=len, reverse=True)
        self._literals = re.compile("|".join(map(re.escape, self._spelt)))
        self._short.cache_clear()

    def text(self, text: str) -> str:
        """`text` without its secrets."""
        return self._short(text) if len(text) <= SHORT else self._blanked(text)

    def _blanked(self, text: str) -> str:
        for pattern in self._patterns:
            text = pattern.sub(BLANK, text)
        return self._without(self._spelt, text)

    def quickly(self, text: str) -> str:
        """`text` without the known secrets in their plain spelling: for texts by the thousand that contain no other."""
        return self._without(self._known, text)

    def _without(self, secrets: Iterable[str], text: str) -> str:
        """`text` without `secrets`; searching one by one is faster than one pattern, as almost no text has any."""
        return self._literals.sub(BLANK, text) if any(secret in text for secret in secrets) else text

    def data(self, value: Any) -> Any:
        """JSON-like data with every text in it redacted, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._member(str(key), item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        return value

    def row(self, row: Row) -> Row:
        """Data made by Stoic Eval, such as a table's row: names of fields and `OWN` values stay, JSON stays JSON."""
        return {name: value if name in OWN else self._field(name, value) for name, value in row.items()}

    def _member(self, key: str, value: Any) -> Any:
        """The value of `key`; blank if a pattern matches only both together, such as one for `password=…`."""
        cleaned = self.data(value)
        if type(value) in (str, int, float) and cleaned == value:
            together = f"{key}={value}"
            return cleaned if self.text(key) != key or self.text(together) == together else BLANK
        return cleaned

    def _field(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self._json_or_text(name, value)
        if name in FOREIGN:
            return self.data(value)
        if isinstance(value, Mapping):
            return self.row(value)
        if isinstance(value, list | tuple):
            return [self._field(name, item) for item in value]
        return value

    def _json_or_text(self, name: str, value: str) -> str:
        """The value; JSON is redacted as data, since a pattern does not stop at a bracket."""
        if not value.startswith(("{", "[", '"')):
            return self.text(value)
        try:
            held = json.loads(value)
            cleaned = self._field(name, held) if name in OWN_JSON else self.data(held)
            return value if cleaned == held else json.dumps(cleaned)
        except (ValueError, RecursionError):  # no JSON, or nested too deeply to be read, walked, compared or written
            return self.text(value)


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
