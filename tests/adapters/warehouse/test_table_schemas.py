"""One declaration of every table: for DuckDB, and for readers of docs/tables.md."""

import re
from pathlib import Path

import pytest

from stoic_assets.adapters.warehouse.table_schemas import COMMON, TABLES, columns_of
from stoic_assets.core.errors import StoicError
from stoic_assets.core.secrets.redaction import OWN

DOCUMENT = Path(__file__).parents[3] / "docs" / "tables.md"


def documented() -> dict[str, dict[str, str]]:
    """Table to column to type, as the page says; the common columns stand under the empty name."""
    tables: dict[str, dict[str, str]] = {"": {}}
    current = ""
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"### (\w+)", line):
            current = heading[1]
            tables[current] = {}
        elif row := re.fullmatch(r"\| `(\w+)` \| ([a-z]+\??) \| .{3,} \|", line):
            tables[current][row[1]] = row[2]
    return tables


def test_the_page_says_what_is_declared():
    page = documented()
    assert page.pop("") == {"agent_version": "text"} | COMMON
    assert {table: list(columns.items()) for table, columns in page.items()} == {
        table: list(columns.items()) for table, columns in TABLES.items()
    }


def test_an_unknown_table_is_refused():
    with pytest.raises(StoicError, match="no table 'trails'"):
        columns_of("trails")


def test_no_id_is_ever_blanked():
    ids = {name for table in TABLES for name in columns_of(table) if name.endswith(("_id", "_ids"))}
    assert ids - OWN == set()
