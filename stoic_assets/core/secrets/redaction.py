"""Blanking of secrets in everything that is stored, shown or sent to a judge."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from stoic_assets.core.secrets.secret_forms import in_addresses, in_wrapped_base64, spellings
from stoic_assets.core.table_rows import Row
from stoic_assets.core.text.foreign_text import well_formed
from stoic_assets.core.text.json_text import is_json, json_text
from stoic_assets.core.text.json_tokens import Token, edited, replaced_where

BLANK = "[redacted]"
SHORT = 64
"""Up to this many characters, texts are likely to recur."""
OWN = frozenset(
    {
        "acceptance_status", "agent", "agent_id", "agent_model", "agent_version", "aspect", "assertion", "at", "base",
        "base_evaluation_id", "call_id", "candidate", "condition", "conditions", "confidence_source", "delivered_at",
        "ended_at", "evaluated_at", "evaluation_id", "evaluation_ids", "evaluator_model", "feedback_id",
        "floor_violations", "given_at", "id", "idempotency_key", "improved", "job", "job_hash", "judge_model",
        "judge_models", "kind", "measure", "model", "moved", "name", "outcome", "page_id", "parents", "prompt_hash",
        "protocol", "rated_at", "rater_id", "reference_id", "regressed", "released_at", "role", "scale", "scenario",
        "sentiment", "session_id", "source", "speaker", "spec_hash", "started_at", "status", "subject", "task_id",
        "task_ids", "test_id", "time", "timestamp", "trial", "trial_id", "trial_ids", "type", "uncertain_virtues",
        "virtue", "weak_virtues",
    }
)  # fmt: skip
"""Fields of ids, kinds, times and hashes, which must stay intact so that data can be found again: a known secret, such
as `reminder`, may be part of one."""
FOREIGN = frozenset({"actual", "context", "events", "expected", "parameters", "requirements", "result"})
"""Fields of foreign data, in which keys are redacted too."""
OWN_JSON = frozenset({"floors", "improvement_areas", "metrics", "missing", "objectives", "severity", "virtue_scores"})
"""Columns of JSON that Stoic Eval made: the names of fields in it stay, as in a row."""
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?!00[01])[0-9a-fA-F]{4}"
    r'|\\(?:["/]|\\(?!u))'  # in JSON that is a text of JSON, each backslash of `\\u` is escaped too
)
"""An escape of JSON, or the two of one character; not those of line ends and other control characters."""
_WRAPPED = re.compile(r"[A-Za-z0-9+/_-]{16}\r?\n[ \t]*[A-Za-z0-9+/_-]{4}")
"""A line end in base64: where there is none, as in almost all texts, none is looked for within secrets."""
_JSON = re.compile(r'\s*["\[{]')
_written = json.JSONEncoder(ensure_ascii=False, default=str).encode
SHORTEST = 6
"""Characters of a known secret. A shorter key (`test`, `agent`) is a word: blanking it in what an agent said or did
would make true assertions fail."""
Span = tuple[int, int]
"""Where a secret begins in a text, and where it has ended."""


def _without(text: str, spans: Iterable[Span]) -> str:
    """The text with a blank in place of each span; spans that overlap share one blank."""
    shown, end = list[str](), 0
    for begins, ends in sorted(spans):
        if begins >= end:
            shown += (text[end:begins], BLANK)
        end = max(end, ends)
    return "".join((*shown, text[end:]))


def _unescaped(text: str) -> tuple[str, list[int]]:
    """The text without escapes of JSON, and where each of its characters, and its end, is in `text`."""
    plain, places, end = list[str](), list[int](), 0
    for escape in _ESCAPE.finditer(text):
        plain += (text[end : escape.start()], well_formed(json.loads(f'"{escape[0]}"')))
        places += range(end, escape.start() + 1)
        end = escape.end()
    return "".join((*plain, text[end:])), [*places, *range(end, len(text) + 1)]


class Redactor:
    """Blanks what matches a pattern, and the literal values of known secrets (keys, passwords)."""

    def __init__(self, patterns: Iterable[str], secrets: Iterable[str] = ()) -> None:
        self._patterns = [re.compile(pattern) for pattern in patterns]
        # Those that reach from one text of JSON into another on purpose; others do so by accident, up to any length.
        self._quoting = [pattern for pattern in self._patterns if '"' in pattern.pattern]
        self._known: frozenset[str] = frozenset()
        self._short = lru_cache(maxsize=4096)(self._blanked)  # the same keys, names and numbers in every entry and row
        self.learn(secrets)

    def knowing(self, secrets: Iterable[str]) -> "Redactor":
        """A redactor that blanks these secrets as well."""
        return Redactor((pattern.pattern for pattern in self._patterns), (*self._known, *secrets))

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
        spans = self._found(text)
        if r"\u" in text:
            plain, places = _unescaped(text)
            spans += [(places[begins], places[ends]) for begins, ends in self._found(plain)]
        return _without(text, spans) if spans else text

    def _found(self, text: str) -> list[Span]:
        """All of its secrets: a pattern may match only the first half of a known one, or the other way round."""
        patterns = [pattern for pattern in self._patterns if pattern.search(text)]  # `finditer` takes twice as long
        # Looking for one by one is faster than one pattern, as almost no text has any.
        patterns += [re.compile(re.escape(known)) for known in self._spelt if known in text]
        if "%" in text or "+" in text:
            patterns.append(in_addresses(self._known))
        if "\n" in text and _WRAPPED.search(text):
            patterns.append(in_wrapped_base64(self._known))
        found = (each.span() for pattern in patterns for each in pattern.finditer(text))
        return [(begins, ends) for begins, ends in found if begins < ends]  # some match between characters too

    def data(self, value: Any) -> Any:
        """JSON-like data with every text and number in it redacted, keys included."""
        if isinstance(value, str):
            return self._json_or_text(value)
        if not value:  # most turns have no events
            return value
        written = _written(value)
        shown = self._json(written)
        return value if shown == written else json.loads(shown)

    def row(self, row: Row) -> Row:
        """Data made by Stoic Eval, such as a table's row: names of fields and `OWN` values stay, JSON stays JSON."""
        return {name: value if name in OWN else self._field(name, value) for name, value in row.items()}

    def reply(self, text: str, asked: Collection[str]) -> str:
        """A model's structured reply: the words that were `asked` for, as names of fields, and numbers under them stay.

        What is no JSON is redacted as a text.
        """

        def instead(token: Token, held: str, key: str) -> str | None:
            if held in asked or (token.lastgroup == "number" and key in asked):
                return None
            return self._instead(token, held, "" if key in asked else key)

        return edited(text, instead) if is_json(text) else self.text(text)

    def _field(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self._own_json(name, value) if name in OWN_JSON else self._json_or_text(value)
        if name in FOREIGN:
            return self.data(value)
        if isinstance(value, Mapping):
            return self.row(value)
        if isinstance(value, list | tuple):
            return [self._field(name, item) for item in value]
        return value

    def _own_json(self, name: str, value: str) -> str:
        """The value of a column that may be `OWN_JSON`."""
        if not _JSON.match(value):
            return self.text(value)
        try:
            held = json.loads(value)
            cleaned = self._field(name, held)
            return value if cleaned == held else json_text(cleaned)
        except (ValueError, RecursionError):
            return self.text(value)

    def _json_or_text(self, value: str) -> str:
        """The value; what is JSON stays JSON."""
        return self._json(value) if _JSON.match(value) and is_json(value) else self.text(value)

    def _json(self, written: str) -> str:
        """JSON without its secrets. Each key and value is redacted by itself: a pattern does not stop at a bracket."""
        shown = edited(written, self._instead)
        for pattern in self._quoting:
            shown = replaced_where(pattern, shown, BLANK)
        if any(known in shown for known in self._spelt):  # across several values
            shown = self._literals.sub(BLANK, replaced_where(self._literals, shown, BLANK))
        return shown

    def _instead(self, token: Token, held: str, key: str) -> str | None:
        """What takes the place of a key or value; None if it stays.

        A value is blank if a pattern matches only both it and its key, such as one for `password=…`.
        """
        shown = self._json_or_text(held)
        if shown != held:
            return BLANK if token.lastgroup == "number" else shown
        is_value = key and token.lastgroup != "key"
        return BLANK if is_value and self.text(together := f"{key}={held}") != together else None
