"""Values as SQL text."""

from collections.abc import Sequence
from pathlib import Path


def quoted(text: str | Path) -> str:
    """A text as an SQL string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def literal(value: str | Sequence[str]) -> str:
    """A text, or a list of texts, in DuckDB's SQL."""
    return quoted(value) if isinstance(value, str) else f"[{', '.join(map(quoted, value))}]::varchar[]"
