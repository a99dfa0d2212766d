"""What the columns of tables mean, as the document that comes with the product says it to its readers."""

import re
from functools import cache

from stoic_assets.adapters.disk.paths import shipped

_HEADING = re.compile(r"^#{2,3} ", re.MULTILINE)
_ROW = re.compile(r"^\| `(\w+)` \| [a-z]+\?? \| (.+) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def column_meanings(table: str) -> dict[str, str]:
    """Column name to meaning and unit, those included that all tables have; links are reduced to their words."""
    told = _told()
    return told["Types and common columns"] | told.get(table, {})


@cache
def _told() -> dict[str, dict[str, str]]:
    """The rows below each heading."""
    text = shipped("docs/tables.md").read_text(encoding="utf-8")
    sections = (section.partition("\n") for section in _HEADING.split(text))
    return {
        heading: {column: _LINK.sub(r"\1", meaning) for column, meaning in _ROW.findall(rows)}
        for heading, _, rows in sections
    }
